import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MadeDoc, makeDoc, makeDocStreams } from "@attune/testkit/make-doc.ts";
import { textOffset } from "@attune/testkit/make-doc-text.ts";
import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { describe, expect, test } from "vitest";
import type { DocumentLimits } from "../../limits/budget.ts";
import { type MadeReading, readMade } from "./read-made.fixture.ts";

const read = (bytes: Buffer, limits: Partial<DocumentLimits> = {}): Promise<MadeReading> =>
  readMade(bytes, { headersFooters: "keep", images: "data_uri", limits });

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}

const lengthOf = ({ blocks }: MadeReading): number => JSON.stringify(blocks).length;
const text = (words: string): MadeDoc => ({ paragraphs: [{ runs: [words] }] });

describe("piece tables", () => {
  test("that repeat the text give out no more than the file has", async () => {
    const words = "word ".repeat(2_000);
    const length = words.length + 1;
    const pieces = Array.from({ length: 20_000 }, (_, index) => ({ end: (index + 1) * length, offset: textOffset }));
    const reading = await read(withMainLength(makeDocStreams({ ...text(words), pieces }), 20_000 * length));

    expect(lengthOf(reading)).toBeLessThan(20 * length);
    expect(reading.warnings).toEqual([expect.stringContaining("repeats its text")]);
  });

  test("that point outside of the file are told", async () => {
    const pieces = [
      { end: 3, offset: textOffset },
      { end: 6, offset: 0x3fff_0000 },
    ];
    const { blocks, warnings } = await read(makeDoc({ ...text("abcde"), pieces }));

    expect(blocks).toEqual([{ type: "paragraph", inlines: ["abc"] }]);
    expect(warnings).toEqual([expect.stringContaining("cut short")]);
  });

  test("with no piece inside of the file are refused", async () => {
    const pieces = [{ end: 6, offset: 0x3fff_0000 }];
    await expect(read(makeDoc({ ...text("abcde"), pieces }))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("whose positions run backwards end there", async () => {
    const pieces = [5, 3, 6].map((end) => ({ end, offset: textOffset }));
    expect((await read(makeDoc({ ...text("abcde"), pieces }))).warnings).toEqual([
      expect.stringContaining("cut short"),
    ]);
  });
});

function withMainLength(streams: Record<string, Buffer>, length: number): Buffer {
  streams["WordDocument"]?.writeUInt32LE(length, 76);
  return makeCompound(Object.entries(streams));
}

describe("floods", () => {
  test("an index that names one page of formats a hundred thousand times names it once", async () => {
    const index = Buffer.alloc(4 + 8 * 100_000, 3);
    expect(await cpuMsOf(() => read(makeDoc({ ...text("a"), structures: { 12: index, 13: index } })))).toBeLessThan(
      2_000,
    );
  });

  test("a group of changes that every paragraph names is looked at within bounds", async () => {
    // Insert and delete cells, again and again.
    const changes = Buffer.from("2176003fe803225600ff".repeat(3_000), "hex");
    const size = Buffer.alloc(2);
    size.writeUInt16LE(changes.length);
    const paragraphs = Array.from({ length: 5_000 }, () => ({
      runs: [],
      mark: "\x07",
      changes: "162401172401466600000000",
    }));
    const bytes = makeDoc({ paragraphs, data: Buffer.concat([size, changes]) });

    expect(await cpuMsOf(() => read(bytes))).toBeLessThan(3_000);
  });

  test("more cells than allowed end the reading", async () => {
    const paragraphs = Array.from({ length: 100 }, () => ({ runs: ["a"], mark: "\x07", changes: "162401" }));
    await expect(read(makeDoc({ paragraphs }), { maxTableCells: 50 })).rejects.toMatchObject({
      reason: "LIMIT_EXCEEDED",
    });
  });

  test("more blocks than allowed end the reading", async () => {
    const paragraphs = Array.from({ length: 100 }, () => ({ runs: ["a"] }));
    await expect(read(makeDoc({ paragraphs }), { maxBlocks: 50 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });

  test("fields inside one another, and tables, end", async () => {
    const fields = { runs: ["\x13 A \x14".repeat(20_000), "end", "\x15".repeat(20_000)] };
    const deep = Array.from({ length: 200 }, (_, index) => ({
      runs: ["x"],
      changes: `1624014966${Buffer.from([index, 0, 0, 0]).toString("hex")}`,
    }));

    expect((await read(makeDoc({ paragraphs: [fields, ...deep] }))).blocks.length).toBeGreaterThan(0);
  });
});

describe("damage", () => {
  const golden = readFileSync(join(import.meta.dirname, "../../../corpus/doc/lighthouse.doc"));

  test("a chain of sectors that runs in circles is refused", async () => {
    const bytes = Buffer.from(golden);
    const tableAt = (bytes.readUInt32LE(76) + 1) * 512;
    for (let at = 0; at < 512; at += 4)
      if (bytes.readUInt32LE(tableAt + at) < 0xfffffffa) bytes.writeUInt32LE(2, tableAt + at);
    await expect(read(bytes)).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
  });

  test("anywhere gives a document or a reason, never anything else", async () => {
    for (let at = 512; at < golden.length - 4; at += 37) {
      const bytes = Buffer.from(golden);
      bytes.writeUInt32LE(at % 2 === 0 ? 0xffff_ffff : 0x7fff_fffe, at);
      expect(await outcomeOf(bytes)).toMatch(/^(?:read|refused)$/);
    }
  });

  test("a file cut anywhere gives a document or a reason, never anything else", async () => {
    for (let length = 0; length < golden.length; length += 211) {
      expect(await outcomeOf(golden.subarray(0, length))).toMatch(/^(?:read|refused)$/);
    }
  });

  async function outcomeOf(bytes: Buffer): Promise<string> {
    try {
      return lengthOf(await read(bytes)) < golden.length * 4 ? "read" : "grown";
    } catch (error) {
      return error instanceof AppError ? "refused" : String(error);
    }
  }

  test("that takes the formats leaves the text, and is told", async () => {
    const streams = makeDocStreams(text("still here"));
    streams["WordDocument"]?.writeUInt32LE(0x7fff_ffff, 154 + 8 * 1);
    const { blocks, warnings } = await read(makeCompound(Object.entries(streams)));

    expect(blocks).toEqual([{ type: "paragraph", inlines: ["still here"] }]);
    expect(warnings).toEqual(["The file is damaged: its styles could not be read, and the text is without them."]);
  });

  test("that cut the end off leaves what lies before it, and is told", async () => {
    const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
    const paragraphs = words.map((word) => ({ runs: [word] }));
    const { "1Table": table = Buffer.alloc(0), WordDocument: main = Buffer.alloc(0) } = makeDocStreams({ paragraphs });
    const whole = makeCompound([
      ["1Table", table],
      ["WordDocument", main],
    ]);
    const { blocks, warnings } = await read(whole.subarray(0, whole.length - main.length + textOffset + 2_000));

    expect(blocks.slice(0, 100)).toEqual(words.slice(0, 100).map((word) => ({ type: "paragraph", inlines: [word] })));
    expect(blocks.length).toBeLessThan(200);
    expect(warnings).toContain("The file is cut short: what lay behind its end is missing.");
  });
});
