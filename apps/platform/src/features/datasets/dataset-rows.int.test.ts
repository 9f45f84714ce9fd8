import { editDatasetRows, listDatasetVersions, restoreDatasetVersion } from "@attune/contracts/rest/datasets.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byId, countOf, datasetCalls, fileOf, orphans, problemOf, rowOf } from "../../testing/dataset-calls.ts";
import { type StartedDatasets, startDatasets } from "../../testing/start-datasets.ts";

let run: StartedDatasets;
let editor: ApiClient;
let calls: ReturnType<typeof datasetCalls>;
beforeAll(async () => {
  run = await startDatasets();
  editor = run.clientOf("editor");
  calls = datasetCalls(editor);
});
afterAll(() => run[Symbol.asyncDispose]());

describe("upload", () => {
  test("rows become version 1, with size, record_count and findings; more are appended or replace them", async () => {
    const id = await calls.add("Uploads");
    const file = `${fileOf(3)}{"instruction": "no answer"}\n`;
    const { body } = await calls.upload(id, file);
    await calls.upload(id, fileOf(2), { name: "more.json.jsonl" });

    expect(body.version).toMatchObject({
      version_no: 1,
      origin: "upload",
      layout: "alpaca",
      raw_count: 4,
      record_count: 3,
    });
    expect(body.report).toMatchObject({
      counts: { raw: 4, valid: 3, invalid: 1 },
      findings: [{ code: "KEY_MISSING", first: [{ line: 4, row: 4, pointer: "/output" }] }],
    });
    expect(await calls.version(id, 2)).toMatchObject({
      record_count: 5,
      size: Buffer.byteLength(file) + Buffer.byteLength(fileOf(2)),
      dataset_files: [
        { name: "data.jsonl", record_count: 3 },
        { name: "more.json.jsonl", record_count: 2 },
      ],
    });
    expect((await calls.upload(id, fileOf(1), { mode: "replace" })).body.version).toMatchObject({
      version_no: 3,
      record_count: 1,
    });
    expect(await calls.dataset(id)).toMatchObject({
      version_no: 3,
      record_count: 1,
      format: "alpaca",
      layout: "alpaca",
    });
  });

  test.each([
    ["data.jsonl", Buffer.from(fileOf(2), "utf16le"), "DATASET_FILE_INVALID", "ENCODING_UTF16"],
    ["data.json", `[${rowOf(1)},`, "DATASET_FILE_INVALID", "ARRAY_NOT_CLOSED"],
    ["data.json", `{"data": [${rowOf(1)}]}`, "DATASET_FILE_INVALID", "WRAPPED_ARRAY"],
    ["data.xlsx", "x", "DATASET_FILE_TYPE_UNKNOWN", ""],
  ])("%s that cannot be read is refused, and leaves nothing", async (...[name, file, reason, code]) => {
    const id = await calls.add(`Refused ${code}`);
    const problem = await problemOf(calls.upload(id, file, { name }));

    expect(problem?.reason).toBe(reason);
    expect(problem?.violations?.[0]?.message ?? "").toContain(code);
    expect(await calls.dataset(id)).toMatchObject({ version_no: 0, record_count: 0, size: 0, format: null });
    expect(await countOf(run.database, sql`select count(*) from files where owner_id = ${id}`)).toBe(0);
    expect(await orphans(run.database)).toBe(0);
  });

  test("of two uploads at once one is told that the other was first", async () => {
    const id = await calls.add("Two at once");
    const results = await Promise.all([
      problemOf(calls.upload(id, fileOf(300))),
      problemOf(calls.upload(id, fileOf(300))),
    ]);

    const reasons = results.map((problem) => problem?.reason);
    // They may also come one after the other.
    expect(reasons.filter((reason) => reason !== undefined && reason !== "VERSION_CONFLICT")).toEqual([]);
    expect((await calls.dataset(id)).version_no).toBe(reasons.filter((reason) => reason === undefined).length);
    expect(await orphans(run.database)).toBe(0);
  });
});

describe("rows", () => {
  test("any offset is read, with findings, in the order of the file", async () => {
    const id = await calls.add("Pages");
    await calls.upload(id, fileOf(1000));
    const page = await calls.rows(id, 1, { offset: 730, limit: 3 });

    expect(page).toMatchObject({ total: 1000, next_offset: 733 });
    expect(page.items.map(({ row, text }) => [row, text])).toEqual([731, 732, 733].map((row) => [row, rowOf(row)]));
    expect((await calls.rows(id, 1, { offset: 998, limit: 50 })).next_offset).toBeNull();
    expect((await calls.rows(id, 1, { offset: 5000 })).items).toEqual([]);
    expect((await calls.rows(id, 1, { search: "QUESTION 999" })).items.map(({ row }) => row)).toEqual([999]);
  });

  test("an edit makes a version that shares all other rows, and can be undone", async () => {
    const id = await calls.add("Edits");
    await calls.upload(id, fileOf(1000));
    const chunksBefore = await countOf(run.database, sql`select count(*) from dataset_chunks`);
    const edits = [
      { op: "replace", row: 500, text: rowOf(500, "better") },
      { op: "delete", row: 501 },
      { op: "insert_after", row: 0, text: rowOf(0) },
      { op: "insert_after", row: 1000, text: '{"instruction": "unfinished"}' },
    ] as const;
    const saved = await editor.call(editDatasetRows, { ...byId(id), body: { edits: [...edits] }, ifMatch: '"1"' });

    expect(saved).toMatchObject({
      status: 201,
      etag: '"2"',
      body: { version_no: 2, raw_count: 1001, record_count: 1000 },
    });
    expect((await calls.rows(id, 2, { offset: 0, limit: 1 })).items[0]?.text).toBe(rowOf(0));
    expect((await calls.rows(id, 2, { offset: 500, limit: 2 })).items.map(({ text }) => text)).toEqual([
      rowOf(500, "better"),
      rowOf(502),
    ]);
    expect((await calls.rows(id, 2, { only: "invalid" })).items).toMatchObject([{ row: 1001, is_valid: false }]);
    expect((await calls.rows(id, 1, { offset: 499, limit: 1 })).items[0]?.text).toBe(rowOf(500));
    expect(await countOf(run.database, sql`select count(*) from dataset_chunks`)).toBeLessThanOrEqual(chunksBefore + 5);
    expect(await calls.diff(id, 1, 2)).toMatchObject({
      unchanged: 998,
      added: 2,
      removed: 1,
      changed: 1,
      moved: 0,
      items: [
        { kind: "added", row: 1, text: rowOf(0), from_row: null },
        { kind: "changed", from_row: 500, row: 501, from_text: rowOf(500), text: rowOf(500, "better") },
        { kind: "removed", from_row: 501, row: null, from_text: rowOf(501) },
        { kind: "added", row: 1001 },
      ],
    });
    const restored = await editor.call(restoreDatasetVersion, {
      params: { dataset_id: id, version_no: 1 },
      ifMatch: '"2"',
    });
    expect(restored.body).toMatchObject({ version_no: 3, origin: "restore", raw_count: 1000, record_count: 1000 });
    expect(await calls.diff(id, 1, 3)).toMatchObject({ unchanged: 1000, items: [] });
    const list = await editor.call(listDatasetVersions, { ...byId(id), query: { limit: 2 } });
    expect(list.body.items.map(({ version_no }) => version_no)).toEqual([3, 2]);
  });

  test("edits that cannot be are refused, with their place", async () => {
    const id = await calls.add("Refused edits");
    await calls.upload(id, fileOf(2));
    const edits = [
      { op: "replace", row: 3, text: rowOf(1) },
      { op: "replace", row: 1, text: "{'a': 1}" },
      { op: "delete", row: 2 },
      { op: "delete", row: 2 },
    ] as const;
    const problem = await problemOf(
      editor.call(editDatasetRows, { ...byId(id), body: { edits: [...edits] }, ifMatch: '"1"' }),
    );

    expect(problem?.violations?.map(({ pointer }) => pointer)).toEqual([
      "/body/edits/0",
      "/body/edits/1",
      "/body/edits/3",
    ]);
    expect(problem?.violations?.[1]?.message).toContain("SINGLE_QUOTES at column 2");
    expect((await problemOf(calls.save(id, 7)))?.reason).toBe("VERSION_CONFLICT");
    expect(
      (await problemOf(editor.call(editDatasetRows, { ...byId(id), body: { edits: [{ op: "delete", row: 1 }] } })))
        ?.reason,
    ).toBe("VERSION_REQUIRED");
  });

  test("of edits made on one version at the same time exactly one is saved", async () => {
    const id = await calls.add("Races");
    await calls.upload(id, fileOf(50));
    for (let no = 1; no <= 10; no++) {
      const results = await Promise.all(Array.from({ length: 8 }, () => problemOf(calls.save(id, no))));
      expect(results.filter((problem) => problem === undefined)).toHaveLength(1);
      expect(results.filter((problem) => problem?.reason === "VERSION_CONFLICT")).toHaveLength(7);
    }
    expect((await calls.dataset(id)).version_no).toBe(11);
    expect(await orphans(run.database)).toBe(0);
  });
});
