import xz from "xz-decompress";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadDocument } from "../reader.ts";
import { ByteSink } from "./byte-sink.ts";
import { damaged, readExpanded } from "./read-expanded.ts";

/** The file that an xz file (https://tukaani.org/xz/xz-file-format.txt) holds, of one stream or many. */
export const readXz: ReadDocument = async (input, context) => {
  assertKnownCheck(input.bytes);
  const sink = new ByteSink(context.budget.entryAllowanceBytes);
  try {
    for await (const chunk of new xz.XzReadableStream(new Blob([input.bytes]).stream())) sink.write(chunk);
  } catch (error) {
    throw error instanceof AppError ? error : damaged("xz", error);
  }
  return readExpanded(sink.take(), input.fileName, context);
};

/** Kinds of checksum that the library knows: none, CRC-32, CRC-64 (xz file format 2.1.1.2). */
const knownChecks: ReadonlySet<number> = new Set([0, 1, 4]);

function assertKnownCheck(bytes: Uint8Array): void {
  if (bytes[7] === undefined || knownChecks.has(bytes[7])) return;
  throw new AppError("UNSUPPORTED_FILE_TYPE", {
    detail: "Its xz stream has a kind of checksum that is not known here; `xz --check=crc64` writes one that is.",
  });
}
