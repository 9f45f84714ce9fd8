import { expect, test } from "vitest";
import { readShapeTexts } from "./shape-texts.ts";

function record(type: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(type, 0);
  header.writeUInt16LE(body.length, 2);
  return Buffer.concat([header, body]);
}

const beginning = (kind: number): Buffer => record(0x0809, Buffer.from([0, 6, kind, 0, 0, 0, 0, 0]));
const end = record(0x000a);
const text = (words: string): Buffer =>
  record(0x100d, Buffer.from([0, 0, words.length, 0, ...Buffer.from(words, "latin1")]));
const link = (kind: number): Buffer => record(0x1027, Buffer.from([kind, 0, 0, 0, 0, 0]));
const globals = Buffer.concat([beginning(5), end]);

test("charts on sheets and sheets that are charts are told by kind and title", async () => {
  const chart = (kind: number): Buffer =>
    Buffer.concat([beginning(0x20), record(kind), text("axis"), link(2), text("Cargo"), link(1), end]);
  const stream = Buffer.concat([globals, beginning(0x10), chart(0x1019), end, chart(0x1018), beginning(0x10), end]);

  expect([...(await readShapeTexts(stream))]).toEqual([
    [0, { shapes: [], charts: ["Pie chart: Cargo"] }],
    [1, { shapes: [], charts: ["Line chart: Cargo"] }],
  ]);
});

test("charts that do not end, and ends without beginnings, are no harm", async () => {
  const stream = Buffer.concat([globals, end, end, beginning(0x10), beginning(0x20), text("x"), beginning(0x20)]);

  for (let length = 0; length <= stream.length; length++)
    expect([...(await readShapeTexts(stream.subarray(0, length)))]).toEqual([]);
});
