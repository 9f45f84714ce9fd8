import { statSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  countLeftOut,
  createEventBounder,
  type EventPaths,
  eventPaths,
  isBeyondHelp,
  readEventGap,
} from "./bound-events.ts";
import type { CutLine } from "./line-cutter.ts";
import { createGappedReader } from "./gapped-reader.ts";

const maxBytes = 2 ** 20;
let paths: EventPaths;
let folder: string;
let seq = 0;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-events-"));
  paths = eventPaths(folder);
  seq = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes log lines of 200 bytes, each thousandth followed by a checkpoint. */
async function write(lines: number): Promise<void> {
  const texts = Array.from({ length: lines }, () => {
    seq++;
    const type = seq % 1000 === 0 ? "checkpoint" : "log";
    return `${JSON.stringify({ v: 1, seq, type, fill: "x".repeat(160) })}\n`;
  });
  await appendFile(paths.events, texts.join(""));
}

async function readAll(offset = 0): Promise<readonly CutLine[]> {
  const reader = createGappedReader({ ...paths, offset, maxLineBytes: 32 * 1024 });
  const found: CutLine[] = [];
  for (;;) {
    const { lines, isAtEnd } = await reader.read();
    found.push(...lines);
    if (isAtEnd) break;
  }
  await reader.close();
  return found;
}
const seqOf = ({ text }: CutLine): number => (JSON.parse(text) as { seq: number }).seq;
const seqsOf = (lines: readonly CutLine[]) => lines.filter(({ isNotice }) => isNotice !== true).map(seqOf);
const bytesOnDisk = () => [paths.events, paths.eventsKept].reduce((sum, path) => sum + statSync(path).blocks * 512, 0);

test("events within the bound stay as they are", async () => {
  await write(5000);
  await createEventBounder(paths, maxBytes).check();
  expect(await readEventGap(paths)).toBeUndefined();
  expect(seqsOf(await readAll())).toHaveLength(5000);
});

test("beyond it the middle is left out and counted, but for what matters; again and again", async () => {
  const bounder = createEventBounder(paths, maxBytes);
  const last = [];
  for (let round = 0; round < 6; round++) {
    await write(6000);
    last.push(seq);
    await bounder.check();
    expect(bytesOnDisk()).toBeLessThan(maxBytes);
    const lines = await readAll();
    const seqs = seqsOf(lines);
    expect(seqs.length + countLeftOut(await readEventGap(paths))).toBe(seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const checkpoints = Array.from({ length: seq / 1000 }, (_, index) => 1000 * (index + 1));
    expect(seqs.filter((each) => each % 1000 === 0)).toEqual(checkpoints);
    expect(seqs.at(-1)).toBe(seq);
    expect(lines.filter(({ isNotice }) => isNotice)).toHaveLength(1);
  }
});

test("whoever goes on at an offset that he had gets what is left of the rest", async () => {
  await write(20_000);
  const before = await readAll();
  await createEventBounder(paths, maxBytes).check();
  const after = await readAll();
  const kept = new Set(seqsOf(after));
  for (const at of [0, 10, 300, 999, 1000, 5000, 5001, 15_000, 19_999]) {
    const offset = before[at]?.endOffset ?? 0;
    const expected = before.slice(at + 1).filter((line) => kept.has(seqOf(line)));
    const rest = (await readAll(offset)).filter(({ isNotice }) => isNotice !== true);
    expect(rest).toEqual(expected);
  }
});

test("who reads meanwhile misses nothing of what is kept", async () => {
  await write(20_000);
  const reader = createGappedReader({ ...paths, offset: 0, maxLineBytes: 32 * 1024 });
  const found: CutLine[] = [];
  found.push(...(await reader.read()).lines, ...(await reader.read()).lines);
  await createEventBounder(paths, maxBytes).check();
  for (;;) {
    const { lines, isAtEnd } = await reader.read();
    found.push(...lines);
    if (isAtEnd) break;
  }
  await reader.close();
  const seqs = seqsOf(found);
  expect(new Set(seqs).size).toBe(seqs.length);
  expect(seqs.filter((each) => each % 1000 === 0)).toHaveLength(20);
  expect(seqs.at(-1)).toBe(20_000);
});

test("what a bounder left that was killed is done again", async () => {
  await write(20_000);
  await writeFile(paths.eventsKept, "12\t{}\n9");
  await createEventBounder(paths, maxBytes).check();
  expect(seqsOf(await readAll()).filter((each) => each % 1000 === 0)).toHaveLength(20);
});

test("a line without an end is left out, too", async () => {
  await write(10);
  await appendFile(paths.events, "y".repeat(3 * maxBytes));
  await createEventBounder(paths, maxBytes).check();
  expect(bytesOnDisk()).toBeLessThan(maxBytes);
  await appendFile(paths.events, "\n");
  await write(10);
  const lines = await readAll();
  expect(lines.filter(({ text }) => text.startsWith("{")).map(seqOf)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  expect(countLeftOut(await readEventGap(paths))).toBe(1);
});

test("where the file system knows no holes nothing is left out, until it is too much", async () => {
  await write(10_000);
  await createEventBounder(paths, maxBytes, async () => false).check();
  expect(seqsOf(await readAll())).toHaveLength(10_000);
  expect(isBeyondHelp(paths, maxBytes)).toBe(false);
  await write(20_000);
  expect(isBeyondHelp(paths, maxBytes)).toBe(true);
  expect((await stat(paths.events)).size).toBeGreaterThan(4 * maxBytes);
});

test("more of what matters than may be kept is counted", async () => {
  await writeFile(
    paths.events,
    Array.from(
      { length: 20_000 },
      (_, index) => `${JSON.stringify({ seq: index + 1, type: "checkpoint", x: "x".repeat(90) })}\n`,
    ).join(""),
  );
  await createEventBounder(paths, maxBytes).check();
  expect(bytesOnDisk()).toBeLessThan(maxBytes);
  const gap = await readEventGap(paths);
  expect(gap?.leftOut).toEqual({ checkpoint: expect.any(Number) as number });
  expect(seqsOf(await readAll()).length + countLeftOut(gap)).toBe(20_000);
});

test("a gap that cannot be read is an error, and not taken for none", async () => {
  expect(await readEventGap(paths)).toBeUndefined();
  await mkdir(paths.eventsGap);
  await expect(readEventGap(paths)).rejects.toThrow("EISDIR");
});
