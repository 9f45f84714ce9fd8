import { AppError } from "@attune/service-kit/app-error.ts";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Queries } from "../../infra/db/create-database.ts";
import type { FileAddress } from "./service.ts";
import { files, storageObjects } from "./tables.ts";

/** A moment by the clock of the database, which all nodes share. */
export const fromNow = (milliseconds: number): SQL => sql`now() + ${milliseconds / 1000} * interval '1 second'`;

/** @throws AppError `RECORD_NOT_FOUND`, also for a file of another tenant. */
export async function getFile(queries: Queries, { tenantId, fileId }: FileAddress) {
  const [row] = await queries
    .select({ file: files, object: storageObjects })
    .from(files)
    .leftJoin(storageObjects, eq(storageObjects.id, files.objectId))
    .where(and(eq(files.tenantId, tenantId), eq(files.id, fileId)));
  if (row === undefined) throw new AppError("RECORD_NOT_FOUND");
  return row;
}
