import { createHash } from "node:crypto";
import { deleteDatasetUpload } from "@attune/contracts/rest/dataset-uploads.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { datasetCalls, fileOf, orphans, problemOf } from "../../../testing/dataset-calls.ts";
import { type StartedDatasets, startDatasets, uploads } from "../../../testing/start-datasets.ts";
import { countBytesOf, uploadCalls } from "../../../testing/upload-calls.ts";
import { sweepUploads } from "./sweep-uploads.ts";

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
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("completing an upload", () => {
  test("answers the same when it is asked again, and makes one version", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file);
    const first = await upload.complete(uploadId);
    const again = await upload.complete(uploadId);
    expect(again.body).toEqual(first.body);
    expect((await calls.dataset(id)).version_no).toBe(1);
  });

  test("lets one of several do it and tells the others that it is being done, or what came of it", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => problemOf(upload.complete(uploadId))));
    const reasons = new Set(outcomes.map((problem) => problem?.reason));
    expect([...reasons].filter((reason) => reason !== undefined && reason !== "DATASET_UPLOAD_BUSY")).toEqual([]);
    expect(reasons).toContain(undefined);
    expect((await calls.dataset(id)).version_no).toBe(1);
    expect(await orphans(run.database)).toBe(0);
  });

  test("of a file that cannot be taken tells why, every time, and keeps nothing of it", async () => {
    const bytes = new Uint8Array([...Buffer.from("[1, 2"), 0xff, 0xfe]);
    const uploadId = await upload.begin({ name: "data.json", size: bytes.length });
    await upload.send(uploadId, 0, bytes);
    const first = await problemOf(upload.complete(uploadId));
    expect(first?.reason).toBe("DATASET_FILE_INVALID");
    expect((await problemOf(upload.complete(uploadId)))?.violations).toEqual(first?.violations);
    expect(await upload.read(uploadId)).toMatchObject({ state: "failed", problem: { violations: first?.violations } });
    expect(await countBytesOf(run.database, uploadId)).toEqual(nothing);
    expect(await orphans(run.database)).toBe(0);
    expect((await calls.dataset(id)).version_no).toBe(0);
  });

  test("refuses bytes that are not those that were announced", async () => {
    const uploadId = await upload.begin({ size: file.length, sha256: sha256("other") });
    await upload.send(uploadId, 0, file);
    expect(await problemOf(upload.complete(uploadId))).toMatchObject({
      status: 422,
      reason: "STORAGE_CHECKSUM_MISMATCH",
    });
    expect(await upload.read(uploadId)).toMatchObject({ state: "failed" });
    expect((await calls.dataset(id)).version_no).toBe(0);
    expect(await orphans(run.database)).toBe(0);
  });

  test("appends to or replaces what is there, as the upload was begun", async () => {
    await calls.upload(id, fileOf(3));
    for (const [mode, wanted] of [
      ["append", 103],
      ["replace", 100],
    ] as const) {
      const uploadId = await upload.begin({ size: file.length, mode });
      await upload.send(uploadId, 0, file);
      expect((await upload.complete(uploadId)).body.version.record_count).toBe(wanted);
    }
  });

  test("is for one alone while that one lives, and for another afterwards", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file);
    await run.database.queries.execute(
      sql`update dataset_uploads set claimed_until = now() + interval '1 hour' where id = ${uploadId}`,
    );
    expect(await problemOf(upload.complete(uploadId))).toMatchObject({ status: 409, reason: "DATASET_UPLOAD_BUSY" });
    expect(await upload.read(uploadId)).toMatchObject({ state: "completing" });
    expect((await problemOf(editor.call(deleteDatasetUpload, upload.at(uploadId))))?.reason).toBe(
      "DATASET_UPLOAD_BUSY",
    );
    await run.database.queries.execute(sql`update dataset_uploads set claimed_until = now() where id = ${uploadId}`);
    expect((await upload.complete(uploadId)).body.version.version_no).toBe(1);
  });
});

describe("an upload goes", () => {
  test("with all its bytes when it is given up", async () => {
    const uploadId = await upload.begin({ size: file.length });
    await upload.send(uploadId, 0, file.slice(0, 2_000));
    await editor.call(deleteDatasetUpload, upload.at(uploadId));
    expect((await problemOf(upload.read(uploadId)))?.reason).toBe("RECORD_NOT_FOUND");
    expect(await countBytesOf(run.database, uploadId)).toEqual(nothing);
  });

  test("when nobody went on with it for long enough, and not before", async () => {
    const [old, young] = [await upload.begin({ size: file.length }), await upload.begin({ size: file.length })];
    for (const uploadId of [old, young]) await upload.send(uploadId, 0, file.slice(0, 2_000));
    await run.database.queries.execute(
      sql`update dataset_uploads set updated_at = now() - interval '2 hours' where id = ${old}`,
    );
    expect(await run.database.transaction((tx) => sweepUploads(tx, run.storage, uploads))).toBe(1);
    expect((await problemOf(upload.read(old)))?.reason).toBe("RECORD_NOT_FOUND");
    expect(await upload.read(young)).toMatchObject({ offset: 2_000 });
    expect(await countBytesOf(run.database, old)).toEqual(nothing);
  });
});
