import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasProgram } from "@attune/testkit/has-program.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toArchiveNames } from "./archive-names.ts";
import { writeZip, type ZipPart } from "./write-zip.ts";
import { endOfDirectory } from "./zip-records.ts";

const hasPython = hasProgram("python3");
if (!hasPython) console.warn("The archives are not opened here: python3, whose zipfile reads them, is missing.");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-zip-"));
});
afterAll(() => rm(folder, { recursive: true }));

const partOf = (path: string, pieces: readonly string[], expectedBytes = 0): ZipPart => ({
  path,
  expectedBytes,
  open: async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  },
});

async function collect(parts: Iterable<ZipPart>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeZip(parts, new Date("2026-03-04T05:06:08Z"))) pieces.push(piece);
  return Buffer.concat(pieces);
}

const listing = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    infos = archive.infolist()
    print(json.dumps([len(infos)] + [[i.filename, i.file_size, i.extract_version, list(i.date_time)] for i in infos[:4]]))`;

async function list(archive: Buffer): Promise<unknown> {
  const path = join(folder, "archive.zip");
  await writeFile(path, archive);
  const { stdout, stderr, status } = spawnSync("python3", ["-c", listing, path], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}

test.skipIf(!hasPython)(
  "entries with sizes of 32 and of 64 bits, empty ones included, are read by another reader",
  async () => {
    const archive = await collect([
      partOf("数据/a.jsonl", ["one ", "two"]),
      partOf("large.jsonl", ["three"], 2 ** 40),
      partOf("empty.csv", []),
    ]);
    const time = [2026, 3, 4, 5, 6, 8];
    expect(await list(archive)).toEqual([
      3,
      ["数据/a.jsonl", 7, 20, time],
      ["large.jsonl", 5, 45, time],
      ["empty.csv", 0, 20, time],
    ]);
  },
);

test("an archive whose counts or places need 64 bits says so at its end", () => {
  const records = (count: number, offset: number): boolean =>
    endOfDirectory({ count, sizeBytes: 1, offset }).includes("PK\u0006\u0006");
  expect([records(65_534, 2 ** 32 - 2), records(65_535, 0), records(1, 2 ** 32 - 1)]).toEqual([false, true, true]);
  const end = endOfDirectory({ count: 70_000, sizeBytes: 8, offset: 2 ** 40 });
  expect([end.readBigUInt64LE(32), end.readBigUInt64LE(40), end.readBigUInt64LE(48)]).toEqual([70_000n, 8n, 2n ** 40n]);
  expect(end.readBigUInt64LE(56 + 8)).toBe(2n ** 40n + 8n);
});

test("has no directory when a part fails", async () => {
  const pieces: Buffer[] = [];
  const failing: ZipPart = {
    path: "b",
    expectedBytes: 0,
    open: async function* () {
      yield Buffer.from("begun");
      throw new Error("the store is gone");
    },
  };
  const reading = (async () => {
    for await (const piece of writeZip([partOf("a", ["whole"]), failing], new Date(0))) pieces.push(piece);
  })();
  await expect(reading).rejects.toThrow("the store is gone");
  expect(Buffer.concat(pieces).includes("PK\u0001\u0002")).toBe(false);
});

test("lets go of a part that nobody reads on", async () => {
  let isClosed = false;
  const endless: ZipPart = {
    path: "endless",
    expectedBytes: 0,
    open: async function* () {
      try {
        for (let no = 0; ; no++) yield Buffer.from(`${Math.sin(no)}`.repeat(1000));
      } finally {
        isClosed = true;
      }
    },
  };
  let taken = 0;
  for await (const _ of writeZip([endless], new Date(0))) if (++taken > 3) break;
  await expect.poll(() => isClosed).toBe(true);
});

test("names are safe on any system and differ in more than their case", () => {
  expect(toArchiveNames(["../a", "..", "CON", "nul.csv", "a", "A", "a (2)", "x/y\\z", "", "b\u0000.json"])).toEqual([
    "_a",
    "download",
    "_CON",
    "_nul.csv",
    "a",
    "A (2)",
    "a (2) (2)",
    "x_y_z",
    "download (2)",
    "b.json",
  ]);
});
