import {
  createDataset,
  diffDatasetVersions,
  editDatasetRows,
  getDataset,
  getDatasetVersion,
  listDatasetRows,
  uploadDatasetFile,
} from "@attune/contracts/rest/datasets.ts";
import { type ApiClient, ProblemError } from "@attune/contracts/rest/create-client.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../infra/db/create-database.ts";

/** A row of Alpaca. */
export const rowOf = (index: number, output = `answer ${index}`): string =>
  JSON.stringify({ instruction: `question ${index}`, output });
export const fileOf = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${rowOf(index + 1)}\n`).join("");

export const byId = (id: string) => ({ params: { dataset_id: id } });

/** What tests of datasets do again and again, by one client. */
export function datasetCalls(editor: ApiClient) {
  const add = async (name: string): Promise<string> => (await editor.call(createDataset, { body: { name } })).body.id;
  const dataset = async (id: string) => (await editor.call(getDataset, byId(id))).body;
  const version = async (id: string, no: number) =>
    (await editor.call(getDatasetVersion, { params: { dataset_id: id, version_no: no } })).body;
  const rows = async (id: string, no: number, query: object = {}) =>
    (await editor.call(listDatasetRows, { params: { dataset_id: id, version_no: no }, query })).body;
  const diff = async (id: string, from: number, to: number) =>
    (await editor.call(diffDatasetVersions, { ...byId(id), query: { from, to } })).body;
  const save = (id: string, no: number) =>
    editor.call(editDatasetRows, {
      ...byId(id),
      body: { edits: [{ op: "replace", row: 1, text: rowOf(1, `from version ${no}`) }] },
      ifMatch: `"${no}"`,
    });

  const upload = (id: string, file: string | Buffer, query: { name?: string; mode?: "append" | "replace" } = {}) =>
    editor.call(uploadDatasetFile, {
      ...byId(id),
      query: { name: "data.jsonl", ...query },
      upload: typeof file === "string" ? file : new Uint8Array(file),
      headers: { "content-type": "application/octet-stream" },
    });

  return { add, dataset, version, rows, diff, save, upload };
}

/** Chunks that no version has. */
export const orphans = (database: Database): Promise<number> =>
  countOf(
    database,
    sql`select count(*) from dataset_chunks c where not exists (select 1 from dataset_version_chunks v where v.chunk_id = c.id)`,
  );

export async function countOf({ queries }: Database, query: ReturnType<typeof sql>): Promise<number> {
  const {
    rows: [row],
  } = await queries.execute<{ count: string }>(query);
  return Number(row?.count);
}

/** The problem that a call ends with; undefined when it succeeds. */
export async function problemOf(call: Promise<unknown>) {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}
