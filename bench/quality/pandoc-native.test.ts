import { expect, test } from "vitest";
import { type FlatCell, flattenNative } from "./pandoc-native-blocks.ts";
import { parsePandocNative } from "./pandoc-native-parse.ts";
import { blockSimilarity, tableSimilarity } from "./pandoc-native-similarity.ts";

const flatten = (text: string) => flattenNative(parsePandocNative(text));

test("blocks are flattened with their kinds, notes after them", () => {
  const native = String.raw`[Header 2 ("a",[],[]) [Str "A",Space,Str "\8364\&10"]
,Para [Str "x",Note [Para [Str "note"]],Emph [Str "y"]]
,BulletList [[Plain [Str "one"]],[Para [Str "two"],OrderedList (1,Decimal,Period) [[Para [Str "in"]]]]]
,CodeBlock ("",[],[]) "a\nb"]`;

  expect(flatten(native).blocks).toEqual([
    { kind: "h2", text: "A €10" },
    { kind: "paragraph", text: "xy" },
    { kind: "note", text: "note" },
    { kind: "item", text: "one" },
    { kind: "item", text: "two" },
    { kind: "item", text: "in" },
    { kind: "code", text: "a b" },
  ]);
});

test("a whole Pandoc gives its blocks, without the metadata", () => {
  const native = `Pandoc (Meta {unMeta = fromList [("title",MetaInlines [Str "T"])]}) [Para [Str "x"]]`;

  expect(flatten(native).blocks).toEqual([{ kind: "paragraph", text: "x" }]);
});

test("cells stand where spans leave them", () => {
  const cell = (text: string, rows: number, columns: number): string =>
    `Cell ("",[],[]) AlignDefault (RowSpan ${rows}) (ColSpan ${columns}) [Plain [Str "${text}"]]`;
  const row = (...cells: string[]): string => `Row ("",[],[]) [${cells.join(",")}]`;
  const native = `[Table ("",[],[]) (Caption Nothing []) [] (TableHead ("",[],[]) [${row(cell("a", 2, 1), cell("b", 1, 2))}]) [TableBody ("",[],[]) (RowHeadColumns 0) [] [${row(cell("c", 1, 1), cell("d", 1, 1))}]] (TableFoot ("",[],[]) [])]`;

  expect(flatten(native).tables).toEqual([
    [
      { row: 0, column: 0, text: "a", rowSpan: 2, columnSpan: 1 },
      { row: 0, column: 1, text: "b", rowSpan: 1, columnSpan: 2 },
      { row: 1, column: 1, text: "c", rowSpan: 1, columnSpan: 1 },
      { row: 1, column: 2, text: "d", rowSpan: 1, columnSpan: 1 },
    ],
  ]);
});

test("likeness is 1 for the same, falls with kinds and words, and is 0 for nothing found", () => {
  const truth = [
    { kind: "h1", text: "a b" },
    { kind: "paragraph", text: "c d" },
  ];

  expect(blockSimilarity(truth, truth)).toBe(1);
  expect(
    blockSimilarity(
      truth,
      [{ kind: "h2", text: "a b" }, truth[1] ?? truth[0]].filter((x) => x !== undefined),
    ),
  ).toBe(0.875);
  expect(blockSimilarity(truth, [])).toBe(0);
  expect(tableSimilarity([[cellAt(0, "a")]], [[cellAt(1, "a")]])).toBe(0);
  expect(tableSimilarity([], [])).toBeUndefined();
});

test("a cell that spans counts at each of its places where the truth has no spans, and once where it has", () => {
  const wide = { ...cellAt(0, "a"), columnSpan: 2 };
  const repeated = [cellAt(0, "a"), cellAt(1, "a")];

  expect(tableSimilarity([repeated], [[wide]])).toBe(1);
  expect(tableSimilarity([[cellAt(0, "a")]], [[wide]])).toBe(1);
  expect(tableSimilarity([[wide]], [repeated])).toBeCloseTo(2 / 3);
});

test("quotes, dashes and spaces before marks are compared as everyone may write them", () => {
  const [curly] = flatten(
    String.raw`[Para [Str "\8220it\8217s\8221",Space,Emph [Str "so"],Str "\8212yes",Space,Str "."]]`,
  ).blocks;

  expect(curly?.text).toBe('"it\'s" so-yes.');
});

function cellAt(column: number, text: string): FlatCell {
  return { row: 0, column, text, rowSpan: 1, columnSpan: 1 };
}
