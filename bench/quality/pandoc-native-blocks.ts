import { isCall, type NativeCall, type NativeValue } from "./pandoc-native-parse.ts";

/** One block of the flattened document that is compared: its kind and its words. */
export interface FlatBlock {
  /** `h1` … `h6`, `paragraph`, `item`, `quote`, `code`, `table`, `note`. */
  readonly kind: string;
  readonly text: string;
}

/** A cell by the place where it begins. */
export interface FlatCell extends FlatPlace {
  readonly rowSpan: number;
  readonly columnSpan: number;
}

/** A place of the grid and what stands there. */
export interface FlatPlace {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

export interface FlatDocument {
  readonly blocks: FlatBlock[];
  readonly tables: FlatCell[][];
}

/** The blocks of a pandoc document in reading order. Pictures have no words; notes follow the block they belong to. */
export function flattenNative(blocks: readonly NativeValue[]): FlatDocument {
  const flat: FlatDocument = { blocks: [], tables: [] };
  flattenAll(blocks, { flat, kind: "paragraph" });
  return flat;
}

interface FlatTarget {
  readonly flat: FlatDocument;
  /** What a paragraph counts as here. */
  readonly kind: string;
}

function flattenAll(blocks: NativeValue | undefined, target: FlatTarget): void {
  for (const block of listOf(blocks)) if (isCall(block)) flattenBlock(block, target);
}

function flattenBlock(block: NativeCall, target: FlatTarget): void {
  flatteners[block.name]?.(block.args, target);
}

type Flatten = (args: readonly NativeValue[], target: FlatTarget) => void;

const flatteners: Readonly<Record<string, Flatten>> = {
  Para: ([inlines], target) => pushText(inlines, target.kind, target),
  Plain: ([inlines], target) => pushText(inlines, target.kind, target),
  LineBlock: ([lines], target) => pushText(listOf(lines).flatMap(listOf), target.kind, target),
  Header: ([level, , inlines], target) => pushText(inlines, `h${Math.min(6, Number(level))}`, target),
  CodeBlock: ([, text], { flat }) => push(flat, "code", stringOf(text)),
  BlockQuote: ([blocks], { flat }) => flattenAll(blocks, { flat, kind: "quote" }),
  BulletList: ([items], { flat }) => listOf(items).forEach((item) => flattenAll(item, { flat, kind: "item" })),
  OrderedList: ([, items], { flat }) => listOf(items).forEach((item) => flattenAll(item, { flat, kind: "item" })),
  DefinitionList: ([entries], target) => {
    for (const entry of listOf(entries)) {
      const [term, definitions] = listOf(entry);
      pushText(term, "paragraph", target);
      for (const definition of listOf(definitions)) flattenAll(definition, target);
    }
  },
  Div: ([, blocks], target) => flattenAll(blocks, target),
  Figure: ([, caption, blocks], target) => {
    flattenAll(blocks, target);
    flattenCaption(caption, target);
  },
  Table: flattenTable,
};

function flattenCaption(caption: NativeValue | undefined, target: FlatTarget): void {
  if (isCall(caption)) flattenAll(caption.args.at(-1), { ...target, kind: "paragraph" });
  else pushText(caption, "paragraph", target);
}

function flattenTable(args: readonly NativeValue[], target: FlatTarget): void {
  const isOld = args.length === 5;
  flattenCaption(isOld ? args[0] : args[1], target);
  const rows = isOld ? [args[3], ...listOf(args[4])].map(listOf) : rowsOf(args);
  const cells = placeCells(rows);
  target.flat.tables.push(cells.filter(({ text }) => text !== ""));
  push(target.flat, "table", cells.map(({ text }) => text).join(" "));
}

function rowsOf(args: readonly NativeValue[]): (readonly NativeValue[])[] {
  const [, , , head, bodies, foot] = args;
  const bodyRows = listOf(bodies).flatMap((body) =>
    isCall(body) ? [...listOf(body.args[2]), ...listOf(body.args[3])] : [],
  );
  const all = [
    ...(isCall(head) ? listOf(head.args[1]) : []),
    ...bodyRows,
    ...(isCall(foot) ? listOf(foot.args[1]) : []),
  ];
  return all.map((row) => (isCall(row) ? listOf(row.args[1]) : []));
}

// Cells that span rows push those of the rows below to the right.
function placeCells(rows: readonly (readonly NativeValue[])[]): FlatCell[] {
  const taken = new Set<string>();
  return rows.flatMap((cells, row) => {
    let column = 0;
    return cells.map((cell) => {
      while (taken.has(`${row} ${column}`)) column++;
      const { text, rowSpan, columnSpan } = readCell(cell);
      for (let below = 0; below < rowSpan; below++) {
        for (let right = 0; right < columnSpan; right++) taken.add(`${row + below} ${column + right}`);
      }
      return { row, column, text, rowSpan, columnSpan };
    });
  });
}

function readCell(cell: NativeValue): { text: string; rowSpan: number; columnSpan: number } {
  const spanOf = (span: NativeValue | undefined): number => (isCall(span) ? Number(span.args[0]) : 1);
  const isNew = isCall(cell);
  const flat: FlatDocument = { blocks: [], tables: [] };
  flattenAll(isNew ? cell.args[4] : cell, { flat, kind: "paragraph" });
  return {
    text: flat.blocks.map(({ text }) => text).join(" "),
    rowSpan: isNew ? spanOf(cell.args[2]) : 1,
    columnSpan: isNew ? spanOf(cell.args[3]) : 1,
  };
}

function pushText(inlines: NativeValue | undefined, kind: string, { flat }: FlatTarget): void {
  const notes: NativeValue[] = [];
  push(flat, kind, textOf(inlines, notes));
  for (const note of notes) flattenAll(note, { flat, kind: "note" });
}

function textOf(inlines: NativeValue | undefined, notes: NativeValue[]): string {
  return listOf(inlines)
    .map((inline) => (isCall(inline) ? textOfInline(inline, notes) : ""))
    .join("");
}

function textOfInline({ name, args }: NativeCall, notes: NativeValue[]): string {
  const read = inlineTexts[name];
  return read === undefined ? textOf(args[0], notes) : read(args, notes);
}

type InlineText = (args: readonly NativeValue[], notes: NativeValue[]) => string;

const second: InlineText = (args, notes) => textOf(args[1], notes);

/** Inlines that are more than a list of inlines. */
const inlineTexts: Readonly<Record<string, InlineText>> = {
  Str: ([text]) => stringOf(text),
  Space: () => " ",
  SoftBreak: () => " ",
  LineBreak: () => " ",
  Code: ([, text]) => stringOf(text),
  Math: ([, text]) => stringOf(text),
  Note: ([blocks], notes) => {
    notes.push(blocks ?? []);
    return "";
  },
  Quoted: (args, notes) => `“${textOf(args[1], notes)}”`,
  Cite: second,
  Link: second,
  Span: second,
  Image: () => "",
  RawInline: () => "",
};

function stringOf(value: NativeValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Adds a block that has words. */
export function push(flat: FlatDocument, kind: string, text: string): void {
  const words = comparedWords(text);
  if (words !== "") flat.blocks.push({ kind, text: words });
}

// Words are compared and not how they are set: Docling writes quotes and dashes as those of ASCII and sets a space at either
// end of a link or of bold text, others keep what the file has. Truth and answers of everyone are folded alike.
function comparedWords(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[\u00ad\u200b\u2060]/g, "")
    .replaceAll(/[‘’‛′]/g, "'")
    .replaceAll(/[“”‟″]/g, '"')
    .replaceAll(/[‐‑‒–—―−]+|-{2,}/g, "-")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,;:!?)\]}])|(?<=[([{]) /g, "")
    .trim();
}

function listOf(value: NativeValue | undefined): readonly NativeValue[] {
  return Array.isArray(value) ? (value as readonly NativeValue[]) : [];
}
