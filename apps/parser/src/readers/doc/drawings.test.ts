import { type MadeDoc, makeDoc } from "@attune/testkit/make-doc.ts";
import { describe, expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { paragraphOf, readMade } from "./read-made.fixture.ts";

async function blocksOf(
  document: MadeDoc,
  images: "placeholder" | "data_uri" = "placeholder",
): Promise<readonly Block[]> {
  return (await readMade(makeDoc(document), { images })).blocks;
}

function record(type: number, instance: number, ...bodies: readonly Buffer[]): Buffer {
  const body = Buffer.concat(bodies);
  const head = Buffer.alloc(8);
  head.writeUInt16LE(instance << 4, 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

// A property whose value is a text, which stands after the table.
function textProperty(id: number, text: string): Buffer {
  const value = Buffer.from(`${text}\0`, "utf16le");
  const entry = Buffer.alloc(6);
  entry.writeUInt16LE(id | 0x8000, 0);
  entry.writeUInt32LE(value.length, 2);
  return record(0xf00b, 1, entry, value);
}

function pictureProperty(number: number): Buffer {
  const entry = Buffer.alloc(6);
  entry.writeUInt16LE(0x4104, 0);
  entry.writeUInt32LE(number, 2);
  return record(0xf00b, 1, entry);
}

const shape = (id: number, ...properties: readonly Buffer[]): Buffer =>
  record(0xf004, 0, record(0xf00a, 0, numbers(id, 0)), ...properties);

const png = Buffer.from("89504e470d0a1a0a", "hex");
const picture = record(0xf01e, 0x6e0, Buffer.alloc(17), png);
const storeEntry = record(0xf007, 6, Buffer.alloc(36), picture);

const special = "550801";
const alt = "The tower by night";

describe("a picture in the line", () => {
  const art = Buffer.concat([shape(5, textProperty(0x0381, `C:\\me\\${alt}`)), storeEntry]);
  const head = Buffer.alloc(0x44);
  head.writeUInt32LE(0x44 + art.length, 0);
  head.writeUInt16LE(0x44, 4);
  head.writeUInt16LE(0x64, 6);
  const document: MadeDoc = {
    paragraphs: [{ runs: ["see ", ["\x01", `${special}036a00000000`]] }],
    data: Buffer.concat([head, art]),
  };

  test("has its description, without the folder that programs put before it", async () => {
    expect(await blocksOf(document)).toEqual([
      { type: "paragraph", inlines: ["see ", { type: "image", alt, reference: "pictures/1.png" }] },
    ]);
  });

  test("comes with its bytes where they are wanted", async () => {
    expect(await blocksOf(document, "data_uri")).toMatchObject([
      { inlines: ["see ", { data: { mediaType: "image/png", bytes: png } }] },
    ]);
  });
});

describe("what is anchored in a paragraph", () => {
  const anchor = Buffer.concat([numbers(1, 5), numbers(9), Buffer.alloc(22)]);
  const boxes = Buffer.concat([numbers(0, 6, 11), boxOf(9), boxOf(8)]);
  const group = record(0xf003, 0, shape(9), shape(8, pictureProperty(1)), shape(7, textProperty(0x00c0, "Word art")));
  const drawings = (...groups: readonly Buffer[]): Buffer =>
    Buffer.concat([
      record(0xf000, 0, record(0xf001, 1, storeEntry)),
      Buffer.from([0]),
      record(0xf002, 0, record(0xf003, 0, shape(1), ...groups)),
    ]);
  const document = (art: Buffer): MadeDoc => ({
    paragraphs: [{ runs: ["a", ["\x08", special], "bc"] }],
    boxes: [{ runs: ["First"] }, { runs: ["Then"] }],
    structures: { 40: anchor, 50: art, 56: boxes },
  });
  test("stands beside it: pictures before, texts of boxes and of letters behind", async () => {
    expect(await blocksOf(document(drawings(group)))).toEqual([
      { type: "image", alt: "", reference: "pictures/1.png" },
      paragraphOf("abc"),
      paragraphOf("Word art"),
      paragraphOf("First"),
      paragraphOf("Then"),
    ]);
  });

  test("is not lost where nothing says which shape shows it", async () => {
    expect(await blocksOf(document(drawings()))).toEqual([
      paragraphOf("abc"),
      paragraphOf("First"),
      paragraphOf("Then"),
    ]);
  });

  function boxOf(shapeId: number): Buffer {
    const bytes = Buffer.alloc(22);
    bytes.writeUInt32LE(shapeId, 14);
    return bytes;
  }
});
