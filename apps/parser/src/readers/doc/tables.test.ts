import { makeDoc } from "@attune/testkit/make-doc.ts";
import type { MadeParagraph } from "@attune/testkit/make-doc-text.ts";
import { expect, test } from "vitest";
import type { Block } from "../../document/document.ts";
import { paragraphOf, readMade } from "./read-made.fixture.ts";

async function blocksOf(paragraphs: readonly MadeParagraph[]): Promise<readonly Block[]> {
  return (await readMade(makeDoc({ paragraphs }))).blocks;
}

const inTable = "162401";
const rowEnd = "172401";

function hex(...numbers: readonly (readonly [value: number, bytes: number])[]): string {
  return numbers
    .map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer.toString("hex");
    })
    .join("");
}

// sprmTDefTable: edges, and the flags of each cell in a descriptor of 20 bytes.
function definition(edges: readonly number[], flags: readonly number[] = []): string {
  const count = edges.length - 1;
  const cells = flags.map((value) => hex([value, 2]) + "00".repeat(18)).join("");
  const operand = hex([count, 1], ...edges.map((edge) => [edge, 2] as const)) + cells;
  return `08d6${hex([operand.length / 2 + 1, 2])}${operand}`;
}

function row(texts: readonly string[], changes: string): MadeParagraph[] {
  const cells = texts.map((text) => ({ runs: [text], mark: "\x07", changes: inTable }));
  return [...cells, { runs: [], mark: "\x07", changes: inTable + rowEnd + changes }];
}

test("cells get their columns from their edges, and rows of different widths one grid", async () => {
  const rows = [...row(["a", "b"], definition([0, 1000, 2000])), ...row(["wide"], definition([0, 2000]))];

  expect(await blocksOf([...rows, { runs: ["after"] }])).toEqual([
    { type: "table", headerRowCount: 0, rows: [["a", "b"], [{ blocks: [paragraphOf("wide")], columnSpan: 2 }]] },
    paragraphOf("after"),
  ]);
});

test.each([
  ["as the format of Word 97 numbers them", [1, 2, 0]],
  ["as [MS-DOC] numbers them", [2, 1, 0]],
])("cells merged to the left, %s, become one", async (_, flags) => {
  const rows = [
    ...row(
      ["a", "", "c"],
      definition(
        [0, 1, 2, 3].map((edge) => edge * 1000),
        flags,
      ),
    ),
    ...row(["x", "y", "z"], definition([0, 1000, 2000, 3000])),
  ];

  expect(await blocksOf(rows)).toMatchObject([
    {
      rows: [
        [{ blocks: [paragraphOf("a")], columnSpan: 2 }, "c"],
        ["x", "y", "z"],
      ],
    },
  ]);
});

test("cells merged downwards become one, and header rows are headers", async () => {
  const edges = [0, 1000, 2000];
  const rows = [
    ...row(["h", "i"], `${definition(edges)}043401`),
    ...row(["a", "b"], definition(edges, [0x60, 0])),
    ...row(["", "d"], definition(edges, [0x20, 0])),
  ];

  expect(await blocksOf(rows)).toEqual([
    {
      type: "table",
      headerRowCount: 1,
      rows: [["h", "i"], [{ blocks: [paragraphOf("a")], rowSpan: 2 }, "b"], ["d"]],
    },
  ]);
});

test("a table inside a cell has marks of its own", async () => {
  const depth = "496602000000";
  const inner = [
    { runs: ["x"], changes: `${inTable}${depth}4b2401` },
    { runs: ["y"], changes: `${inTable}${depth}4b2401` },
    { runs: [], changes: `${inTable}${depth}4b24014c2401${definition([0, 400, 800])}` },
  ];
  const rows = [...inner, ...row(["", "b"], definition([0, 1000, 2000]))];

  expect(await blocksOf(rows)).toEqual([
    {
      type: "table",
      headerRowCount: 0,
      rows: [[{ blocks: [{ type: "table", headerRowCount: 0, rows: [["x", "y"]] }] }, "b"]],
    },
  ]);
});

test("cells whose row never ends are kept", async () => {
  const [cell] = row(["a"], "");
  const [open] = row(["b"], "");
  expect(JSON.stringify(await blocksOf([cell, open].flatMap((one) => one ?? [])))).toMatch(/"a".*"b"/);
});

test("more marks than the row defines are cells of their own", async () => {
  expect(await blocksOf(row(["a", "b", "c"], definition([0, 1000])))).toMatchObject([{ rows: [["a", "b", "c"]] }]);
});
