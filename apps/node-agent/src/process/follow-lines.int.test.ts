import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { followLines } from "./follow-lines.ts";
import type { CutLine } from "./line-cutter.ts";

let folder = "";
let path = "";
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-lines-"));
});
beforeEach(() => {
  path = join(folder, `${count++}.ndjson`);
});
afterAll(() => rm(folder, { recursive: true }));

/** Takes so many lines, calling `meanwhile` before each. */
async function take(lines: number, meanwhile: (taken: number) => Promise<void>, offset = 0): Promise<CutLine[]> {
  const stop = new AbortController();
  const taken: CutLine[] = [];
  await meanwhile(0);
  for await (const line of followLines({ path, offset, maxLineBytes: 20 }, stop.signal)) {
    taken.push(line);
    if (taken.length === lines) stop.abort();
    else await meanwhile(taken.length);
  }
  return taken;
}
const texts = (lines: readonly CutLine[]) => lines.map(({ text }) => text);

test("lines as they are written, halves joined", async () => {
  const pieces = ["one\ntw", "o\n", "three\n"];
  expect(texts(await take(3, (taken) => appendFile(path, pieces[taken] ?? "")))).toEqual(["one", "two", "three"]);
});

test("going on at an offset gives the rest, whole", async () => {
  await writeFile(path, "one\ntwo\nthree\n");
  const [first] = await take(1, async () => undefined);
  expect(texts(await take(2, async () => undefined, first?.endOffset))).toEqual(["two", "three"]);
});

test("a long line is cut and costs no line after it", async () => {
  await writeFile(path, `${"x".repeat(1_000_000)}\nshort\n`);
  const [long, short] = await take(2, async () => undefined);
  expect(long).toMatchObject({ text: "x".repeat(20), isCut: true, endOffset: 1_000_001 });
  expect(short).toMatchObject({ text: "short", isCut: false });
});

test("a file that comes later, became shorter, and was replaced", async () => {
  const steps = [
    async () => void setTimeout(() => void writeFile(path, "longer one\n"), 20),
    async () => {
      await truncate(path, 0);
      setTimeout(() => void appendFile(path, "two\n"), 300);
    },
    async () => {
      await writeFile(`${path}.new`, "three\n");
      await rename(`${path}.new`, path);
    },
  ];
  expect(texts(await take(3, async (taken) => steps[taken]?.()))).toEqual(["longer one", "two", "three"]);
});

test("half a line at the end of a file that no longer grows comes as it is", async () => {
  await writeFile(path, "one\nhal");
  const lines: CutLine[] = [];
  const source = { path, offset: 0, maxLineBytes: 20, isGrowing: () => false };
  for await (const line of followLines(source, new AbortController().signal)) lines.push(line);
  expect(texts(lines)).toEqual(["one", "hal"]);
});
