import { createHash, randomUUID } from "node:crypto";
import { request } from "node:http";
import {
  appendToDatasetUpload,
  completeDatasetUpload,
  createDatasetUpload,
  deleteDatasetUpload,
  getDatasetUpload,
  listDatasetUploads,
} from "@attune/contracts/rest/dataset-uploads.ts";
import { deleteDataset } from "@attune/contracts/rest/datasets.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { byId, datasetCalls, fileOf, problemOf, rowOf } from "../../../testing/dataset-calls.ts";
import { type StartedDatasets, startDatasets, uploads } from "../../../testing/start-datasets.ts";
import { countBytesOf, uploadCalls } from "../../../testing/upload-calls.ts";
import { maxPieceBytes as pieceBytes } from "./append-bytes.ts";

let run: StartedDatasets;
let editor: ApiClient;
let calls: ReturnType<typeof datasetCalls>;
let id: string;
let upload: ReturnType<typeof uploadCalls>;
let count = 0;
beforeAll(async () => {
  run = await startDatasets();
  editor = run.clientOf("editor");
  calls = datasetCalls(editor);
});
beforeEach(async () => {
  id = await calls.add(`Uploads ${++count}`);
  upload = uploadCalls(editor, id);
});
afterAll(() => run[Symbol.asyncDispose]());

const file = fileOf(100);
const nothing = { pieces: 0, files: 0 };
const sha256 = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");
/** A file of 17 MiB in 2,000 rows. */
const large = new Uint8Array(
  Buffer.from(Array.from({ length: 2_000 }, (_, row) => `${rowOf(row, `${row} `.repeat(2_000))}\n`).join("")),
);

describe("an upload in pieces", () => {
  test("becomes the version that the plain upload makes of the same bytes", async () => {
    const uploadId = await upload.begin({ size: file.length, sha256: sha256(file) });
    for (const [from, to] of [
      [0, 1],
      [1, 1000],
      [1000, 1000],
      [1000, file.length],
    ] as const) {
      const { body, headers } = await upload.send(uploadId, from, file.slice(from, to));
      expect([body.offset, body.state, headers.get("upload-offset")]).toEqual([to, "open", String(to)]);
    }
    const { status, body, etag } = await upload.complete(uploadId);

    expect([status, etag]).toEqual([201, '"1"']);
    const plainId = await calls.add(`Plain ${count}`);
    const plain = (await calls.upload(plainId, file)).body;
    const timeless = { created_at: "", created_by: "" };
    expect({ ...body.version, ...timeless }).toEqual({ ...plain.version, ...timeless });
    expect(body.report).toEqual(plain.report);
    expect((await calls.rows(id, 1)).items).toEqual((await calls.rows(plainId, 1)).items);
    expect(await upload.read(uploadId)).toMatchObject({ state: "completed", version_no: 1, offset: file.length });
    expect(await countBytesOf(run.database, uploadId)).toEqual(nothing);
  });

  test("is as long as pieces are many, and keeps every byte", async () => {
    const uploadId = await upload.begin({ size: large.length, sha256: sha256(large) });
    await upload.send(uploadId, 0, large);
    expect((await countBytesOf(run.database, uploadId)).pieces).toBe(Math.ceil(large.length / pieceBytes));
    expect((await upload.complete(uploadId)).body.version).toMatchObject({ size: large.length, record_count: 2_000 });
  });

  test("tells where it is, to GET and to HEAD, and is in the list of its owner", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file.slice(0, 500));
    expect(await upload.read(uploadId)).toMatchObject({
      offset: 500,
      size: file.length,
      state: "open",
      mode: "append",
    });
    const url = `${run.baseUrl}/api/v1/datasets/${id}/uploads/${uploadId}`;
    const head = await fetch(url, { method: "HEAD", headers: { authorization: `Bearer ${run.tokenOf("editor")}` } });
    expect([head.status, head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual([
      200,
      "500",
      String(file.length),
    ]);
    const { body } = await editor.call(listDatasetUploads, byId(id));
    expect(body.items.map((one) => one.id)).toEqual([uploadId]);
  });

  test("is made once for one Idempotency-Key, and has an address", async () => {
    const body = { name: "data.jsonl", size: 10 };
    const idempotencyKey = randomUUID();
    const first = await editor.call(createDatasetUpload, { ...byId(id), body, idempotencyKey });
    const again = await editor.call(createDatasetUpload, { ...byId(id), body, idempotencyKey });
    expect([first.status, again.body.id]).toEqual([201, first.body.id]);
    expect(first.headers.get("location")).toBe(`/api/v1/datasets/${id}/uploads/${first.body.id}`);
  });

  test("keeps what came before the connection broke, and goes on there", async () => {
    const uploadId = await upload.begin({ size: large.length, sha256: sha256(large) });
    const sending = sendBeginning(uploadId, large.subarray(0, pieceBytes + 1_000));
    await expect.poll(async () => (await upload.read(uploadId)).offset, { timeout: 60_000 }).toBe(pieceBytes);
    sending.destroy();
    const { offset } = await upload.read(uploadId);
    // The server may not know yet that nothing more comes, and keep another few bytes then: this refuses them, or is refused.
    await upload.send(uploadId, offset, large.slice(offset)).catch(async () => {
      const { offset: later } = await upload.read(uploadId);
      await upload.send(uploadId, later, large.slice(later));
    });
    expect((await upload.complete(uploadId)).body.version.record_count).toBe(2_000);
  });
});

/** Announces the whole file and sends its beginning. */
function sendBeginning(uploadId: string, beginning: Uint8Array) {
  const url = `${run.baseUrl}/api/v1/datasets/${id}/uploads/${uploadId}?offset=0`;
  const headers = { authorization: `Bearer ${run.tokenOf("editor")}`, "content-length": large.length };
  const sending = request(url, { method: "PATCH", headers });
  sending.on("error", () => {});
  sending.write(beginning);
  return sending;
}

describe("an upload refuses", () => {
  test("bytes at another offset than its own, and tells the right one", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file.slice(0, 700));
    for (const offset of [0, 699, 701, file.length]) {
      const problem = await problemOf(upload.send(uploadId, offset, file.slice(offset)));
      expect(problem).toMatchObject({
        status: 409,
        reason: "DATASET_UPLOAD_OFFSET_WRONG",
        detail: "It goes on at 700.",
        violations: [{ pointer: "/query/offset", message: "must be 700" }],
      });
    }
    expect(await upload.read(uploadId)).toMatchObject({ offset: 700 });
  });

  test("all but one of several who send at one offset", async () => {
    const uploadId = await upload.begin({ size: file.length, sha256: sha256(file) });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => problemOf(upload.send(uploadId, 0, file))));
    const refused = outcomes.filter((problem) => problem !== undefined);
    expect(refused.map(({ reason }) => reason)).toEqual(Array(7).fill("DATASET_UPLOAD_OFFSET_WRONG"));
    expect(await countBytesOf(run.database, uploadId)).toEqual({ pieces: 1, files: 1 });
    expect((await upload.complete(uploadId)).body.version.record_count).toBe(100);
  });

  test("more bytes than it was begun for, announced or not", async () => {
    const uploadId = await upload.begin({ size: file.length });
    expect((await problemOf(upload.send(uploadId, 0, `${file}x`)))?.reason).toBe("DATASET_UPLOAD_TOO_LONG");
    const stream = new Blob([`${file}x`]).stream();
    const call = editor.call(appendToDatasetUpload, { ...upload.at(uploadId), query: { offset: 0 }, upload: stream });
    expect((await problemOf(call))?.reason).toBe("DATASET_UPLOAD_TOO_LONG");
    expect(await upload.read(uploadId)).toMatchObject({ offset: 0 });
  });

  test("to be completed before all has come", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file.slice(0, 10));
    expect(await problemOf(upload.complete(uploadId))).toMatchObject({
      status: 409,
      reason: "DATASET_UPLOAD_INCOMPLETE",
      detail: `10 of ${file.length} bytes have come.`,
    });
  });

  test("everybody but its owner, and everybody when its dataset is deleted", async () => {
    const uploadId = await upload.begin({ size: file.length });
    const others = [run.clientOf("admin"), run.clientOf("owner")];
    for (const other of others) {
      for (const route of [getDatasetUpload, completeDatasetUpload, deleteDatasetUpload]) {
        expect((await problemOf(other.call(route, upload.at(uploadId))))?.reason).toBe("RECORD_NOT_FOUND");
      }
      const append = { ...upload.at(uploadId), query: { offset: 0 }, upload: "x" };
      expect((await problemOf(other.call(appendToDatasetUpload, append)))?.reason).toBe("RECORD_NOT_FOUND");
    }
    await run.clientOf("admin").call(deleteDataset, byId(id));
    expect((await problemOf(upload.send(uploadId, 0, file)))?.reason).toBe("RECORD_NOT_FOUND");
  });

  test("to begin with a name or a size that is never taken, or beside too many others", async () => {
    expect((await problemOf(upload.begin({ size: file.length, name: "data.txt" })))?.reason).toBe(
      "DATASET_FILE_TYPE_UNKNOWN",
    );
    expect(await problemOf(upload.begin({ size: uploads.maxBytes + 1 }))).toMatchObject({
      status: 413,
      reason: "DATASET_FILE_TOO_LARGE",
    });
    const admin = run.clientOf("admin");
    const another = () => admin.call(createDatasetUpload, { ...byId(id), body: { name: "data.jsonl", size: 1 } });
    for (let open = 0; open < uploads.maxOpen; open++) await another();
    expect(await problemOf(another())).toMatchObject({ status: 429, reason: "DATASET_UPLOAD_LIMIT" });
  });
});

test("every step of an upload is a line of the operation log", async () => {
  const uploadId = await upload.begin({ size: file.length });
  await upload.send(uploadId, 0, file);
  await upload.complete(uploadId);
  const rows = await run.database.queries.execute<{ action: string }>(
    sql`select action from operation_logs where resource_id = ${id} order by seq`,
  );
  expect(rows.rows.map(({ action }) => action)).toEqual([
    "createDataset",
    "createDatasetUpload",
    "appendToDatasetUpload",
    "completeDatasetUpload",
  ]);
});
