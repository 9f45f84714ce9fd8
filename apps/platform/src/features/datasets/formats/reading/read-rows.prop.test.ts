import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../json-value.ts";
import { readRows } from "./read-rows.ts";
import type { DatasetFileType, ReadItem, SourceRow } from "./source-row.ts";
import { walkJson } from "./walk-json.ts";

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "\n", "\r", "\t", "中", "😀", "a") }),
);
const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
}));
const row = fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>;
const cuts = fc.array(fc.nat(), { maxLength: 12 });

test("a JSON array yields the elements that JSON.parse sees, however its bytes arrive", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), cuts, fc.boolean(), async (rows, at, isPretty) => {
      const file = JSON.stringify(rows, null, isPretty ? 2 : 0);
      const read = await collect(file, at, "json");

      expect(read.map((item) => item.value)).toEqual(JSON.parse(file));
      const bytes = Buffer.from(file);
      for (const { text: raw, byteOffset, line } of read) {
        expect(bytes.toString("utf8", byteOffset, byteOffset + Buffer.byteLength(raw))).toBe(raw);
        expect(line).toBe(bytes.toString("utf8", 0, byteOffset).split("\n").length);
      }
    }),
  );
});

test("JSONL yields its lines, however its bytes arrive and whatever its line ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 6 }),
      cuts,
      fc.constantFrom("\n", "\r\n", "\n\n"),
      async (rows, at, end) => {
        const read = await collect(rows.map((item) => JSON.stringify(item)).join(end), at, "jsonl");

        expect(read.map((item) => item.value)).toEqual(JSON.parse(JSON.stringify(rows)));
        expect(read.map((item) => item.row)).toEqual(rows.map((_row, index) => index + 1));
      },
    ),
  );
});

test("CSV yields its cells, however its bytes arrive", async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('"', ",", "\n", "\r\n", "a", "中", " ") })
    .map((content) => `x${content}x`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), cuts, async (rows, at) => {
      const lines = [["instruction", "output"], ...rows].map((cells) =>
        cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(","),
      );
      const read = await collect(lines.join("\r\n"), at, "csv");

      expect(read.map((item) => [item.value?.["instruction"], item.value?.["output"]])).toEqual(rows);
    }),
  );
});

test("reading never throws, and the rows do not depend on the chunks, for any bytes", async () => {
  const soup = fc.string({
    unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", ",", "1", ":", "\n", " ", '{"a":1}', "true", "x"),
  });
  await fc.assert(
    fc.asyncProperty(
      soup,
      cuts,
      fc.constantFrom<DatasetFileType>("json", "jsonl", "csv"),
      async (file, at, fileType) => {
        const whole = await collectItems(file, [], fileType);
        const cut = await collectItems(file, at, fileType);

        expect(cut).toEqual(whole);
      },
    ),
    { numRuns: 500 },
  );
});

test("the explanation finds a fault exactly where JSON.parse does", () => {
  const tokens = fc.array(
    fc.constantFrom("{", "}", "[", "]", ",", ":", '"a"', '"\\n"', "1", "-0.5e3", "01", "null", "'b'", "NaN", " ", "\n"),
  );
  fc.assert(
    fc.property(tokens, (parts) => {
      const json = parts.join("");
      expect(walkJson(json).fault === undefined).toBe(parses(json));
    }),
    { numRuns: 2000 },
  );
});

function parses(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

async function collect(file: string, at: readonly number[], fileType: DatasetFileType): Promise<SourceRow[]> {
  return (await collectItems(file, at, fileType)).filter((item) => "row" in item);
}

async function collectItems(file: string, at: readonly number[], fileType: DatasetFileType): Promise<ReadItem[]> {
  const bytes = Buffer.from(file);
  const points = [0, ...at.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const [index, point] of points.entries()) yield bytes.subarray(points[index - 1] ?? 0, point);
  }
  const items: ReadItem[] = [];
  for await (const batch of readRows(chunks(), fileType)) items.push(...batch);
  return items;
}
