import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { writeJson } from "./disk/write-json.ts";
import type { SourceFile } from "./cache-source.ts";

const noteSchema = z.object({
  path: z.string(),
  size: z.int(),
  /** What the source called the version that the bytes are of. */
  etag: z.string().nullable(),
  /** Of the complete file, once it is. */
  sha256: z.string().nullable(),
});

/** What is known of a file that is not part of an entry yet, for another attempt. */
export type FileNote = z.infer<typeof noteSchema>;

/** Where what came of a file lies, and its note: under a name that no path of a source can choose. */
export function partialPaths(folder: string, path: string): { readonly bytes: string; readonly note: string } {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 40);
  return { bytes: join(folder, `${name}.part`), note: join(folder, `${name}.json`) };
}

/** The note of an attempt before; undefined when there is none, or none that is of this file. */
export async function readFileNote(notePath: string, file: SourceFile): Promise<FileNote | undefined> {
  const text = await onDisk(() =>
    readFile(notePath, "utf8").catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    }),
  );
  const note = text === undefined ? undefined : noteSchema.safeParse(parseJson(text)).data;
  return note?.path === file.path && note.size === file.sizeBytes ? note : undefined;
}

export const writeFileNote = (notePath: string, note: FileNote): Promise<void> =>
  onDisk(() => writeJson(notePath, note));

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
