import {
  convertDataset,
  createDataset,
  deleteDataset,
  diffDatasetVersions,
  editDataset,
  getDataset,
  listDatasetRows,
  listDatasets,
  listDeletedDatasets,
  splitDataset,
  undeleteDataset,
  uploadDatasetFile,
  validateDatasetVersion,
} from "@attune/contracts/rest/datasets.ts";
import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byId, datasetCalls, fileOf, orphans, problemOf, rowOf } from "../../testing/dataset-calls.ts";
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

describe("what is made of a dataset", () => {
  test("a conversion is a new dataset, and says what it left out", async () => {
    const id = await calls.add("Chats");
    const chat = {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
      ],
    };
    const call = {
      messages: [
        ...chat.messages.slice(0, 1),
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: "{}" } }],
        },
        { role: "tool", content: "x", tool_call_id: "1" },
        { role: "assistant", content: "b" },
      ],
    };
    await calls.upload(id, [chat, call].map((row) => `${JSON.stringify(row)}\n`).join(""));
    const { body } = await editor.call(convertDataset, { ...byId(id), body: { name: "As Alpaca", layout: "alpaca" } });

    expect(body.counts).toEqual({ read: 2, written: 1, refused: { HAS_TOOLS: 1 }, losses: {} });
    expect(body.dataset).toMatchObject({ name: "As Alpaca", layout: "alpaca", record_count: 1, version_no: 1 });
    expect((await calls.rows(body.dataset.id, 1)).items[0]?.text).toBe(
      JSON.stringify({ instruction: "Hi", input: "", system: "", history: [], output: "Hello" }),
    );
    expect(
      (await problemOf(editor.call(convertDataset, { ...byId(id), body: { name: "as alpaca", layout: "alpaca" } })))
        ?.reason,
    ).toBe("DATASET_NAME_TAKEN");
    expect(
      (await problemOf(editor.call(convertDataset, { ...byId(id), body: { name: "Pairs", layout: "dpo_trl" } })))
        ?.reason,
    ).toBe("DATASET_EMPTY");
    expect(await orphans(run.database)).toBe(0);
  });

  test("a split holds every valid row once, on the same side every time", async () => {
    const id = await calls.add("To split");
    await calls.upload(id, `${fileOf(200)}${fileOf(20)}{"instruction": "invalid"}\n`);
    const split = async (name: string) =>
      (
        await editor.call(splitDataset, {
          ...byId(id),
          body: { train_name: `${name} train`, validation_name: `${name} check`, validation_fraction: 0.2, seed: "s" },
        })
      ).body;
    const [one, two] = [await split("One"), await split("Two")];

    expect(one.counts.train + one.counts.validation).toBe(200);
    expect(one.counts.duplicates_removed).toBe(20);
    expect(two.counts).toEqual(one.counts);
    const texts = async (dataset: string) =>
      (await calls.rows(dataset, 1, { limit: 200 })).items.map(({ text }) => text);
    expect(await texts(two.validation.id)).toEqual(await texts(one.validation.id));
    expect([...(await texts(one.train.id)), ...(await texts(one.validation.id))].toSorted()).toEqual(
      Array.from({ length: 200 }, (_, index) => rowOf(index + 1)).toSorted(),
    );
  });

  test("with an Idempotency-Key is made once, also by several at a time", async () => {
    const id = await calls.add("Once");
    await calls.upload(id, fileOf(30));
    const convert = (name: string) =>
      editor.call(convertDataset, { ...byId(id), body: { name, layout: "sharegpt" }, idempotencyKey: "convert-1" });
    const answers = await Promise.all([convert("Converted"), convert("Converted")]);
    const later = await convert("Converted");

    expect(answers.map(({ body }) => body.dataset.id)).toEqual([later.body.dataset.id, later.body.dataset.id]);
    expect(later.headers.get("idempotency-replayed")).toBe("true");
    expect((await problemOf(convert("Another")))?.reason).toBe("IDEMPOTENCY_KEY_REUSED");
    const split = (await Promise.all(["a", "a"].map(() => splitOnce(id)))).map(({ body }) => body.train.id);
    expect(split[0]).toBe(split[1]);
    expect(await orphans(run.database)).toBe(0);
  });

  test("rows are validated again after an edit, and as another layout without keeping that report", async () => {
    const id = await calls.add("Again");
    await calls.upload(id, fileOf(3));
    await calls.save(id, 1);
    expect((await calls.version(id, 2)).report).toBeNull();
    const params = { dataset_id: id, version_no: 2 };
    const other = await editor.call(validateDatasetVersion, { params, body: { layout: "sharegpt" } });
    expect(other.body).toMatchObject({ is_usable: false, counts: { raw: 3, valid: 0 } });
    await editor.call(validateDatasetVersion, { params, body: {} });
    expect((await calls.version(id, 2)).report).toMatchObject({ is_usable: true, counts: { raw: 3, valid: 3 } });
  });
});

const splitOnce = (id: string) =>
  editor.call(splitDataset, {
    ...byId(id),
    body: { train_name: "Once train", validation_name: "Once check", validation_fraction: 0.3 },
    idempotencyKey: "split-1",
  });

describe("the record", () => {
  test("a name is one dataset's in its tenant, and free while that is in the trash", async () => {
    const id = await calls.add("Names");
    expect((await problemOf(editor.call(createDataset, { body: { name: "NAMES" } })))?.reason).toBe(
      "DATASET_NAME_TAKEN",
    );
    await run.clientOf("editor", await run.addTenant()).call(createDataset, { body: { name: "Names" } });
    await editor.call(deleteDataset, byId(id));
    expect((await problemOf(editor.call(getDataset, byId(id))))?.reason).toBe("RECORD_NOT_FOUND");
    expect((await problemOf(editor.call(deleteDataset, byId(id))))?.reason).toBe("RECORD_NOT_FOUND");
    expect((await problemOf(calls.upload(id, fileOf(1))))?.reason).toBe("RECORD_NOT_FOUND");
    const second = await calls.add("Names");

    const trash = await editor.call(listDeletedDatasets, {});
    expect(trash.body.items.map((item) => item.id)).toContain(id);
    expect((await problemOf(editor.call(undeleteDataset, { ...byId(id), body: {} })))?.reason).toBe(
      "DATASET_NAME_TAKEN",
    );
    const back = await editor.call(undeleteDataset, { ...byId(id), body: { name: "Names again" } });
    expect(back.body).toMatchObject({ id, name: "Names again", deleted_at: null });
    const list = await editor.call(listDatasets, { query: { search: "names" } });
    expect(list.body.items.map((item) => item.id)).toEqual([second, id]);
  });

  test("a rename needs the present ETag", async () => {
    const id = await calls.add("Old name");
    const { etag = "" } = await editor.call(getDataset, byId(id));
    const renamed = await editor.call(editDataset, { ...byId(id), body: { name: "New name" }, ifMatch: etag });

    expect(renamed.body.name).toBe("New name");
    expect(
      (await problemOf(editor.call(editDataset, { ...byId(id), body: { name: "x" }, ifMatch: etag })))?.reason,
    ).toBe("VERSION_CONFLICT");
  });

  test("rights: viewers read, strangers know nothing, what is private is its owner's", async () => {
    const id = await calls.add("Rights");
    await calls.upload(id, fileOf(1));
    const viewer = run.clientOf("viewer");
    const foreign = run.clientOf("owner", await run.addTenant());
    const { body } = await editor.call(createDataset, { body: { name: "Private", is_private: true } });

    expect((await viewer.call(getDataset, byId(id))).body.id).toBe(id);
    expect(
      (await problemOf(viewer.call(uploadDatasetFile, { ...byId(id), query: { name: "a.jsonl" }, upload: fileOf(1) })))
        ?.reason,
    ).toBe("PERMISSION_DENIED");
    for (const call of [
      () => foreign.call(getDataset, byId(id)),
      () => foreign.call(listDatasetRows, { params: { dataset_id: id, version_no: 1 } }),
      () => foreign.call(diffDatasetVersions, { ...byId(id), query: { from: 1, to: 1 } }),
      () => foreign.call(convertDataset, { ...byId(id), body: { name: "Stolen", layout: "sharegpt" } }),
      () => viewer.call(getDataset, byId(body.id)),
    ]) {
      expect((await problemOf(call()))?.reason).toBe("RECORD_NOT_FOUND");
    }
    expect((await run.clientOf("admin").call(getDataset, byId(body.id))).body.name).toBe("Private");
  });
});
