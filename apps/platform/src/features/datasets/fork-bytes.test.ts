import { describe, expect, test } from "vitest";
import { forkBytes } from "./fork-bytes.ts";
import { readRows } from "./formats/reading/read-rows.ts";

const pieceBytes = 20_000;
const piecesOf = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(pieceBytes, index + 1));
async function* iterate(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const copies: Buffer[] = [];
  for await (const piece of bytes) {
    await new Promise(setImmediate);
    copies.push(Buffer.from(piece));
  }
  return Buffer.concat(copies).toString("hex");
}

describe("forkBytes", () => {
  test("gives both readers everything, and frees each piece when both have done with it", async () => {
    const pieces = piecesOf(5);
    const whole = Buffer.concat(pieces).toString("hex");
    const { forRows, forStore } = forkBytes(iterate(pieces));

    expect(await Promise.all([collect(forRows), collect(forStore)])).toEqual([whole, whole]);
    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0, 0, 0]);
  });

  test("lets the store go on when the rows stop early", async () => {
    const pieces = piecesOf(4);
    const whole = Buffer.concat(pieces).toString("hex");
    const { forRows, forStore } = forkBytes(iterate(pieces));
    const stopEarly = async (): Promise<void> => {
      for await (const _ of forRows) return;
    };

    expect((await Promise.all([stopEarly(), collect(forStore)]))[1]).toBe(whole);
  });

  test("tells the rows when the body breaks off, or the store gave up", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(pieceBytes);
      throw new Error("cut off");
    }
    const { forRows, forStore } = forkBytes(broken());
    const outcomes = await Promise.allSettled([collect(forRows), collect(forStore)]);
    expect(outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : "whole"))).toEqual([
      "Error: cut off",
      "Error: cut off",
    ]);

    const second = forkBytes(iterate(piecesOf(2)));
    second.stopRows(new Error("full"));
    await expect(collect(second.forRows)).rejects.toThrow("full");
  });
});

const rowText = (no: number): string => JSON.stringify({ instruction: `ç ${no}`, output: "long ".repeat(1000) });
const rows = Array.from({ length: 300 }, (_, no) => rowText(no));

test.each([
  ["jsonl", rows.map((row) => `${row}\n`).join("")],
  ["json", `[${rows.join(",\n")}]`],
  ["csv", `instruction,output\n${rows.map((_, no) => `"ç, ${no}",${"long ".repeat(1000)}\n`).join("")}`],
] as const)("rows of %s are read from pieces whose memory is used again", async (type, file) => {
  const read = async (bytes: AsyncIterable<Uint8Array>): Promise<string[]> => {
    const texts: string[] = [];
    for await (const items of readRows(bytes, type)) {
      for (const item of items) if ("text" in item) texts.push(item.text);
    }
    return texts;
  };
  // More than the 1 MiB that is looked at before the first row.
  const bytes = Buffer.from(file);
  async function* reused(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.alloc(7001);
    for (let at = 0; at < bytes.length; at += memory.length) {
      memory.fill(0);
      yield memory.subarray(0, bytes.copy(memory, 0, at, at + memory.length));
    }
  }
  const texts = await read(reused());
  expect(texts).toHaveLength(rows.length);
  expect(texts).toEqual(await read(iterate([bytes])));
});
