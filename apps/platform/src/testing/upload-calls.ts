import {
  appendToDatasetUpload,
  completeDatasetUpload,
  createDatasetUpload,
  getDatasetUpload,
} from "@attune/contracts/rest/dataset-uploads.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../infra/db/create-database.ts";
import { byId, countOf } from "./dataset-calls.ts";

/** What tests of uploads in pieces do again and again, by one client. */
export function uploadCalls(editor: ApiClient, datasetId: string) {
  const at = (uploadId: string) => ({ params: { dataset_id: datasetId, upload_id: uploadId } });
  return {
    at,
    begin: async (body: { name?: string; size: number; sha256?: string; mode?: "append" | "replace" }) =>
      (await editor.call(createDatasetUpload, { ...byId(datasetId), body: { name: "data.jsonl", ...body } })).body.id,
    send: (uploadId: string, offset: number, bytes: string | Uint8Array<ArrayBuffer>) =>
      editor.call(appendToDatasetUpload, { ...at(uploadId), query: { offset }, upload: bytes }),
    complete: (uploadId: string) => editor.call(completeDatasetUpload, at(uploadId)),
    read: async (uploadId: string) => (await editor.call(getDatasetUpload, at(uploadId))).body,
  };
}

/** What an upload has: pieces, and files in the store. */
export const countBytesOf = async (database: Database, uploadId: string) => ({
  pieces: await countOf(database, sql`select count(*) from dataset_upload_pieces where upload_id = ${uploadId}`),
  files: await countOf(database, sql`select count(*) from files where owner_id = ${uploadId}`),
});
