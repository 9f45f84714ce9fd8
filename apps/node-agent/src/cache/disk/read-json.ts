import { readFile } from "node:fs/promises";
import { isMissing } from "@attune/service-kit/disk/map-disk-errors.ts";
import type * as z from "zod";
import { onDisk } from "./to-disk-error.ts";

/** What a file holds; undefined when there is none that makes sense. @throws AppError `CACHE_DISK_FAILED` */
export async function readJson<T extends z.ZodType>(path: string, schema: T): Promise<z.infer<T> | undefined> {
  const text = await onDisk(() =>
    readFile(path, "utf8").catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    }),
  );
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
