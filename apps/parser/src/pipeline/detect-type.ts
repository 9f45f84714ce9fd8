import { AppError } from "@attune/service-kit/app-error.ts";
import { createProbe } from "../detection/create-probe.ts";
import { type Detection, detectFormat, findFormat, type TypeHints } from "../detection/detect-format.ts";
import type { Format } from "../readers/format.ts";
import type { FetchedFile } from "./fetch-file.ts";
import type { ParseCall } from "./parse-call.ts";

export interface DetectedType {
  readonly format: Format;
  /** The caller's name for the file, else the one that came with it; without folders. */
  readonly fileName: string;
  readonly warnings: readonly string[];
}

/**
 * The type of a fetched file: its bytes, then the hints.
 * @throws AppError `UNSUPPORTED_FILE_TYPE` when the hint or the bytes are of no known type.
 */
export async function detectType(
  file: FetchedFile,
  call: ParseCall,
  formats: readonly Format[],
): Promise<DetectedType> {
  assertKnownHint(call.fileType, formats);
  const fileName = withoutFolders(call.fileName) || withoutFolders(file.fileName ?? "");
  const hints: TypeHints = {
    ...(call.fileType !== "" && { fileType: call.fileType }),
    ...(fileName !== "" && { fileName }),
    ...(file.mediaType !== undefined && { mediaType: file.mediaType }),
  };
  const detection = await detect(file, hints, formats);
  if (detection === undefined) {
    throw new AppError("UNSUPPORTED_FILE_TYPE", { detail: "Its bytes are of no type that this service knows." });
  }
  const { format, contradictedHint } = detection;
  const isWrongHint = contradictedHint !== undefined && call.fileType !== "";
  const warnings = isWrongHint ? [`file_type says ${contradictedHint.name}, but the file is ${format.name}.`] : [];
  return { format, fileName, warnings };
}

async function detect(file: FetchedFile, hints: TypeHints, formats: readonly Format[]): Promise<Detection | undefined> {
  await using access = await file.openForAccess();
  return detectFormat(createProbe(access), hints, formats);
}

function assertKnownHint(fileType: string, formats: readonly Format[]): void {
  if (fileType === "" || findFormat(fileType, formats) !== undefined) return;
  const known = formats.map(({ name }) => name).sort();
  throw new AppError("UNSUPPORTED_FILE_TYPE", {
    detail: `file_type \`${fileType.slice(0, 64)}\` is not known. The known types are: ${known.join(", ")}.`,
  });
}

function withoutFolders(name: string): string {
  return name.split(/[/\\]/).at(-1)?.slice(0, 255) ?? "";
}
