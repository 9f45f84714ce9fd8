import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listOperations } from "@attune/contracts/rest/operation-logs.ts";
import { downloadDataset, exportDataset } from "@attune/contracts/rest/dataset-downloads.ts";
import { editDatasetRows } from "@attune/contracts/rest/datasets.ts";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byId, datasetCalls, fileOf, rowOf } from "../../../testing/dataset-calls.ts";
import { reasonOf, startTestPlatform, type TestPlatform } from "../../../testing/start-test-platform.ts";

const hasPython = hasProgram("python3");
if (!hasPython) console.warn("The archives are not opened here: python3, whose zipfile reads them, is missing.");

let run: TestPlatform;
let folder: string;
let calls: ReturnType<typeof datasetCalls>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-downloads-"));
  run = await startTestPlatform({ PLATFORM_STORE_PATH: folder, PLATFORM_INLINE_MAX_KIB: "0" });
  calls = datasetCalls(run.operator.client);
});
afterAll(async () => {
  await run[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const open = (id: string, query: { version_no?: number } = {}) =>
  run.operator.client.open(downloadDataset, { ...byId(id), query });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** What Python's zipfile finds in an archive, after it checked every sum. */
async function unzip(response: Response): Promise<Record<string, string>> {
  const path = join(folder, "archive.zip");
  await writeFile(path, await bytesOf(response));
  const code = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    print(json.dumps({info.filename: archive.read(info).decode() for info in archive.infolist()}))`;
  const { stdout, stderr, status } = spawnSync("python3", ["-c", code, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, string>;
}

/** The stored object whose content begins with a text. */
async function findObject(begin: string): Promise<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path, "utf8")).startsWith(begin)) return path;
  }
  throw new Error("The store has no such object.");
}

describe("the download of one file", () => {
  test("gives the bytes that were uploaded, under their own name, as an attachment", async () => {
    const id = await calls.add("Single");
    const name = '数据 "día".jsonl';
    const file = `${fileOf(3)}\n\n{"instruction": "spaced",   "output": "kept"}`;
    await calls.upload(id, file, { name });
    const response = await open(id);

    expect((await bytesOf(response)).toString()).toBe(file);
    const header = (key: string) => response.headers.get(key);
    expect(header("content-disposition")).toBe(
      `attachment; filename="__ _d_a_.jsonl"; filename*=UTF-8''%E6%95%B0%E6%8D%AE%20_d%C3%ADa_.jsonl`,
    );
    expect(header("x-content-type-options")).toBe("nosniff");
    expect(header("content-length")).toBe(String(Buffer.byteLength(file)));
    const { body } = await run.operator.client.call(listOperations, { query: { action: "downloadDataset" } });
    expect(body.items[0]).toMatchObject({ action: "downloadDataset", outcome: "succeeded", resource_id: id });
  });

  test.each([
    ["jsonl", fileOf(2), `${rowOf(1, "new")}\n${rowOf(2)}\n`],
    ["json", `[${rowOf(1)},\n ${rowOf(2)}]`, `[\n${rowOf(1, "new")},\n${rowOf(2)}\n]\n`],
    ["csv", 'output,instruction\n"an ""answer"", yes",question 1\nb,c\n', "output,instruction\nnew,question 1\nb,c\n"],
  ])("of an edited version gives its rows as %s, and the version before as it was", async (type, file, edited) => {
    const id = await calls.add(`Edited ${type}`);
    await calls.upload(id, file, { name: `rows.${type}` });
    const text = type === "csv" ? JSON.stringify({ output: "new", instruction: "question 1" }) : rowOf(1, "new");
    await run.operator.client.call(editDatasetRows, {
      ...byId(id),
      body: { edits: [{ op: "replace", row: 1, text }] },
      ifMatch: '"1"',
    });

    expect((await bytesOf(await open(id))).toString()).toBe(edited);
    expect((await bytesOf(await open(id, { version_no: 1 }))).toString()).toBe(file);
  });

  test("cells of CSV keep quotes, commas, line ends, spaces and lists", async () => {
    const id = await calls.add("Cells");
    await calls.upload(id, "instruction,output,history\na,b,\n", { name: "cells.csv" });
    const row = { instruction: ' "a", \nb ', output: "", history: [["x", 'y"']] };
    await run.operator.client.call(editDatasetRows, {
      ...byId(id),
      body: { edits: [{ op: "insert_after", row: 1, text: JSON.stringify(row) }] },
      ifMatch: '"1"',
    });
    const file = await bytesOf(await open(id));
    const copy = await calls.add("Cells again");
    await calls.upload(copy, file, { name: "cells.csv" });

    expect((await calls.rows(copy, 1)).items.map(({ text }) => JSON.parse(text) as unknown)).toEqual([
      { instruction: "a", output: "b" },
      row,
    ]);
  });

  test("is refused to strangers, and where there is nothing", async () => {
    const id = await calls.add("Empty");
    const foreign = await run.addTenant("Downloads");

    expect(await reasonOf(open(id))).toBe("DATASET_EMPTY");
    expect(await reasonOf(open(id, { version_no: 7 }))).toBe("RECORD_NOT_FOUND");
    expect(await reasonOf(foreign.client.open(downloadDataset, byId(id)))).toBe("RECORD_NOT_FOUND");
    expect(await reasonOf(run.stranger.open(downloadDataset, byId(id)))).toBe("SIGN_IN_REQUIRED");
  });

  test("says so when its object is missing", async () => {
    const id = await calls.add("Missing");
    await calls.upload(id, rowOf(1, "missing"), { name: "gone.jsonl" });
    await rm(await findObject(rowOf(1, "missing")));

    expect(await reasonOf(open(id))).toBe("STORAGE_OBJECT_NOT_FOUND");
  });
});

describe("the download of several files", () => {
  test.skipIf(!hasPython)("is a ZIP with names of their own, safe on any system", async () => {
    const id = await calls.add("Several: ../of them");
    const names = ["../../etc/a.jsonl", "数据.jsonl", "A.jsonl", "a.JSONL", "con.jsonl", "a|b.csv", "😀.json"];
    const files = names.map((name, index) => {
      if (name.endsWith("csv")) return `instruction,output\n${index},b\n`;
      return name.endsWith("json") ? `[${rowOf(index)}]` : `${rowOf(index)}\n`;
    });
    for (const [index, name] of names.entries()) await calls.upload(id, files[index] ?? "", { name });
    const response = await open(id);

    expect(response.headers.get("content-disposition")).toContain('filename="Several_ .._of them.zip"');
    expect(response.headers.get("content-type")).toBe("application/zip");
    const found = await unzip(response);
    expect(Object.values(found)).toEqual(files);
    expect(Object.keys(found)).toEqual([
      "_.._etc_a.jsonl",
      "数据.jsonl",
      "A.jsonl",
      "a (2).JSONL",
      "_con.jsonl",
      "a_b.csv",
      "😀.json",
    ]);
  });

  test.each(["missing", "damaged"])("breaks off when the object of its last file is %s", async (fault) => {
    const id = await calls.add(`Broken: ${fault}`);
    await calls.upload(id, rowOf(1, `first ${fault}`), { name: "first.jsonl" });
    await calls.upload(id, rowOf(1, `second ${fault}`), { name: "second.jsonl" });
    const path = await findObject(rowOf(1, `second ${fault}`));
    if (fault === "missing") await rm(path);
    else await writeFile(path, rowOf(1, `SECOND ${fault}`));

    const outcome = await open(id)
      .then(bytesOf)
      .then(
        () => "whole",
        () => "broken off",
      );
    expect(outcome).toBe("broken off");
  });

  test("stops reading when the client goes away", async () => {
    const id = await calls.add("Gone");
    const large = `${JSON.stringify({ instruction: "noise", output: noise(2_000_000) })}\n`;
    await calls.upload(id, large.repeat(8), { name: "large.jsonl" });
    await calls.upload(id, rowOf(1), { name: "small.jsonl" });
    const response = await open(id);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    // The server closes only once every request has ended.
    await expect.poll(openFiles).toBe(0);
  });
});

/** Files of the store that this process has open; none where the system does not tell. */
async function openFiles(): Promise<number> {
  const ids = await readdir("/proc/self/fd").catch(() => []);
  const paths = await Promise.all(ids.map((id) => readlink(`/proc/self/fd/${id}`).catch(() => "")));
  return paths.filter((path) => path.startsWith(folder)).length;
}

/** Text that does not shrink. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(0x23 + ((state >>> 16) % 57));
  }).join("");
}

describe("an export", () => {
  const exported = (id: string, query: { layout: "llama_factory" | "hugging_face" | "trl_all"; unwritable?: "skip" }) =>
    run.operator.client.open(exportDataset, { ...byId(id), query });

  test.skipIf(!hasPython)("is what the training program reads", async () => {
    const id = await calls.add("Données 1");
    await calls.upload(id, fileOf(3));

    const factory = await unzip(await exported(id, { layout: "llama_factory" }));
    expect(Object.keys(factory)).toEqual(["dataset_info.json", "Données_1.jsonl"]);
    expect(JSON.parse(factory["dataset_info.json"] ?? "")).toMatchObject({
      Données_1: { file_name: "Données_1.jsonl", formatting: "alpaca" },
    });
    const face = await unzip(await exported(id, { layout: "hugging_face" }));
    expect(Object.keys(face)).toEqual(["data/train.jsonl", "README.md"]);
    const trl = await unzip(await exported(id, { layout: "trl_all" }));
    expect(trl["train.jsonl"]?.split("\n")[0]).toBe(
      '{"messages":[{"role":"user","content":"question 1"},{"role":"assistant","content":"answer 1"}]}',
    );
  });

  test("tells how many rows it cannot write before it sends anything, and leaves them out when asked", async () => {
    const id = await calls.add("Partly");
    await calls.upload(id, `${fileOf(3)}{"instruction": "no answer"}\nnot JSON\n`);
    const refusal = await exported(id, { layout: "hugging_face" }).catch((error: unknown) => error);

    expect(refusal).toMatchObject({
      problem: {
        reason: "DATASET_EXPORT_INCOMPLETE",
        violations: [{ pointer: "/query/layout", message: "INVALID_ROW: 2 of 5 rows" }],
      },
    });
    const response = await exported(id, { layout: "hugging_face", unwritable: "skip" });
    expect(JSON.parse(response.headers.get("attune-export-counts") ?? "")).toEqual({
      rows: 5,
      written: 3,
      refused: { INVALID_ROW: 2 },
      losses: {},
    });
    expect((await bytesOf(response)).readUInt32LE(0)).toBe(0x0403_4b50);
  });
});
