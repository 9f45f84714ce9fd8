import { sql } from "drizzle-orm";
import type { Transaction } from "../../../infra/db/create-database.ts";
import type { Storage } from "../../storage/index.ts";
import { deleteUpload, lockExpired, removePieces } from "./upload-repo.ts";
import type { UploadPolicy } from "./upload-policy.ts";

const batchSize = 100;

/** Removes uploads that nobody went on with, finished ones too. Their objects go with the next sweep of the store. */
export async function sweepUploads(
  tx: Transaction,
  storage: Pick<Storage, "removeFiles">,
  { unfinishedMs }: Pick<UploadPolicy, "unfinishedMs">,
): Promise<number> {
  const olderThan = sql`now() - ${unfinishedMs / 1000} * interval '1 second'`;
  const expired = await lockExpired(tx, olderThan, batchSize);
  for (const upload of expired) {
    await removePieces(tx, storage, upload);
    await deleteUpload(tx, upload.id);
  }
  return expired.length;
}
