import { mkdir } from "node:fs/promises";
import { cacheKinds, cacheSource } from "@attune/contracts/compute/cache-api.ts";
import * as z from "zod";
import type { WorkFolder } from "./disk/cache-folders.ts";
import { readJson } from "./disk/read-json.ts";
import { onDisk } from "./disk/to-disk-error.ts";
import { writeJson } from "./disk/write-json.ts";

/** What is written down of what was asked for. */
export const askedFields = {
  version: z.literal(1),
  kind: z.enum(cacheKinds),
  key: z.string(),
  fingerprint: z.string(),
  source: z.strictObject({ type: z.enum(["files", "local", "hub"]), name: z.string() }),
  unsafe_files: z.enum(["refuse", "skip", "allow"]),
  /** What was asked for, where it holds no secret: links and tokens are not written down. */
  request: cacheSource.nullable(),
  created: z.iso.datetime(),
};

const workNoteSchema = z.object({
  ...askedFields,
  failure: z
    .strictObject({ reason: z.string(), message: z.string(), remedy: z.string(), retryable: z.boolean() })
    .nullable(),
});

/** `job.json` of a work folder: what is made in it, and how it failed if it did. */
export type WorkNote = z.infer<typeof workNoteSchema>;

/** The note of a work folder; undefined when there is none that makes sense. */
export const readWorkNote = ({ jobPath }: WorkFolder): Promise<WorkNote | undefined> =>
  readJson(jobPath, workNoteSchema);

export function writeWorkNote(work: WorkFolder, note: WorkNote): Promise<void> {
  return onDisk(async () => {
    for (const folder of [work.path, work.partial, work.entry, work.files]) {
      await mkdir(folder, { recursive: true, mode: folder === work.entry || folder === work.files ? 0o755 : 0o700 });
    }
    await writeJson(work.jobPath, note);
  });
}
