import { readFile } from "node:fs/promises";
import * as z from "zod";

/** `exit.json`: how the process that the launcher started ended. */
export const exitRecord = z.object({
  /** Its status; null when a signal ended it, or when it never started. */
  code: z.int().nullable(),
  signal: z.string().nullable(),
  ended_at: z.string(),
  /** Why it could not be started; null when it was. */
  spawn_error: z.string().nullable().default(null),
  /** Whether it was ended because its events were about to fill the disk. */
  is_flood: z.boolean().default(false),
  /** What its processes held when they were ended because it was more than they may; null when they were not. */
  memory_excess: z.object({ used_bytes: z.number(), limit_bytes: z.number() }).nullable().default(null),
  /** Whether the kernel ended a process of the run's control group for want of memory meanwhile; null when it does not tell. */
  oom_kill: z.boolean().nullable().default(null),
});
export type ExitRecord = z.infer<typeof exitRecord>;

/** Undefined while there is none, and when what there is cannot be read. */
export async function readExitRecord(path: string): Promise<ExitRecord | undefined> {
  try {
    return exitRecord.safeParse(JSON.parse(await readFile(path, "utf8"))).data;
  } catch {
    return undefined;
  }
}
