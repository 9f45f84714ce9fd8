import type { Block, ImageData, Inline } from "../../document/document.ts";
import { countedText } from "./doc-info.ts";
import { type HwpRecord, hwpTag } from "./hwp-records.ts";
import type { HwpStory } from "./hwp-story.ts";
import { placeCells, type PlacedCell } from "./place-cells.ts";

/** What a control gives to the paragraph that it stands in. */
export interface ReadControl {
  readonly inline?: Inline;
  readonly blocks?: readonly Block[];
  /** Where the text of the field leads. */
  readonly link?: string;
}

type Read = (control: HwpRecord, story: HwpStory) => ReadControl;

/** Controls by their names (HWP 5.0, tables 127 and 128). */
const readers: Readonly<Record<string, Read>> = {
  __proto__: null as never,
  "tbl ": readTable,
  "gso ": readShapes,
  eqed: readEquation,
  "fn  ": readNote,
  "en  ": readNote,
  head: readRunning,
  foot: readRunning,
  tcmt: readComment,
  "%%me": readComment,
  "%hlk": readHyperlink,
  atno: readNumber,
  tdut: readOverText,
};

/** Reads the record of a control; what is none, such as the definition of a section, says nothing. */
export function readControl(control: HwpRecord, story: HwpStory): ReadControl {
  const name = control.body.length < 4 ? "" : Buffer.from(control.body.subarray(0, 4)).reverse().toString("latin1");
  const read = readers[name];
  if (read !== undefined) return read(control, story);
  const blocks = textsIn(control.children, story);
  return blocks.length > 0 ? { blocks } : {};
}

interface ParagraphList {
  readonly header: Buffer;
  readonly paragraphs: HwpRecord[];
}

/** The lists of paragraphs among these records and below them: a header begins each. */
function listsIn(records: readonly HwpRecord[]): ParagraphList[] {
  const lists: ParagraphList[] = [];
  for (const record of records) {
    if (record.tag === hwpTag.list) lists.push({ header: record.body, paragraphs: [] });
    else if (record.tag === hwpTag.paragraph) {
      if (lists.length === 0) lists.push({ header: Buffer.alloc(0), paragraphs: [] });
      lists.at(-1)?.paragraphs.push(record);
      continue;
    }
    for (const list of listsIn(record.children)) lists.push(list);
  }
  return lists;
}

function textsIn(records: readonly HwpRecord[], story: HwpStory): Block[] {
  return listsIn(records).flatMap(({ paragraphs }) => story.readParagraphs(paragraphs));
}

// What stands before the record of the table is its caption; each list after it is a cell.
function readTable({ children }: HwpRecord, story: HwpStory): ReadControl {
  const tableAt = children.findIndex(({ tag }) => tag === hwpTag.table);
  if (tableAt < 0) return { blocks: textsIn(children, story) };
  const caption = textsIn(children.slice(0, tableAt), story);
  const cells = listsIn(children.slice(tableAt + 1)).map((list) => toCell(list, story));
  return { blocks: [...caption, ...placeCells(cells, story.reading.context.budget)] };
}

const cellAt = 8;
const cellBytes = 8;
const headerFlag = 1 << 18;

// The header of a list in a table goes on with the place of the cell (HWP 5.0, tables 65 and 79).
function toCell({ header, paragraphs }: ParagraphList, story: HwpStory): PlacedCell {
  const blocks = story.readParagraphs(paragraphs);
  if (header.length < cellAt + cellBytes)
    return { row: Infinity, column: Infinity, rowSpan: 1, columnSpan: 1, isHeader: false, blocks };
  const [column = 0, row = 0, columnSpan = 1, rowSpan = 1] = [0, 2, 4, 6].map((at) => header.readUInt16LE(cellAt + at));
  const isHeader = (header.readUInt32LE(4) & headerFlag) !== 0;
  return { row, column, rowSpan, columnSpan, isHeader, blocks };
}

function readShapes({ children }: HwpRecord, story: HwpStory): ReadControl {
  return { blocks: [...picturesIn(children, story), ...textsIn(children, story)] };
}

const pictureIdAt = 71;

function picturesIn(records: readonly HwpRecord[], story: HwpStory): Block[] {
  return records.flatMap(({ tag, body, children }) => {
    if (tag === hwpTag.paragraph) return [];
    const inner = picturesIn(children, story);
    return tag === hwpTag.picture ? [pictureOf(body, story), ...inner] : inner;
  });
}

const mediaTypes: Readonly<Record<string, string>> = { jpg: "jpeg", jpeg: "jpeg", png: "png", gif: "gif", bmp: "bmp" };

function pictureOf(body: Buffer, { file, info, reading }: HwpStory): Block {
  const number = body.length >= pictureIdAt + 2 ? body.readUInt16LE(pictureIdAt) : 0;
  const name = info.binaryNames[number - 1] ?? "";
  if (name === "") return { type: "image", alt: "" };
  const mediaType = mediaTypes[name.split(".").at(-1)?.toLowerCase() ?? ""];
  const isWanted = reading.context.options.images === "data_uri" && mediaType !== undefined;
  const bytes = isWanted ? file.readBinary(name) : undefined;
  const data: ImageData | undefined = bytes && { mediaType: `image/${mediaType}`, bytes };
  return { type: "image", alt: "", reference: `BinData/${name}`, ...(data !== undefined && { data }) };
}

// After its attributes, the script of the equation with its length (HWP 5.0, table 105).
function readEquation({ children }: HwpRecord): ReadControl {
  const script = children.find(({ tag }) => tag === hwpTag.equation)?.body;
  const text = script === undefined ? "" : countedText(script, 4).replaceAll(/\s+/g, " ").trim();
  return text === "" ? {} : { inline: { type: "formula", notation: "text", text } };
}

function readNote({ children }: HwpRecord, story: HwpStory): ReadControl {
  const blocks = textsIn(children, story);
  if (blocks.length === 0) return {};
  return { inline: { type: "noteReference", id: story.reading.addNote(blocks) } };
}

function readRunning({ children }: HwpRecord, story: HwpStory): ReadControl {
  return story.reading.context.options.headersFooters === "drop" ? {} : { blocks: textsIn(children, story) };
}

function readComment(_control: HwpRecord, { reading }: HwpStory): ReadControl {
  reading.commentCount++;
  return {};
}

const commandAt = 9;
const maxAddress = 4_096;

// `http\://example.org;1;0;0;`: colons of the address are escaped, facts about it follow.
function readHyperlink({ body }: HwpRecord): ReadControl {
  const command = countedText(body, commandAt);
  const address = (/^(?:\\.|[^;\\])*/.exec(command)?.[0] ?? "").replaceAll(/\\(.)/g, "$1").trim();
  const isAddress = /^(?:https?|ftp|mailto):/i.test(address) && address.length <= maxAddress;
  return isAddress ? { link: address } : {};
}

/** Numbers of pages and of notes stand elsewhere; those of figures, tables and equations are text. */
const shownNumbers = [3, 4, 5];

function readNumber({ body }: HwpRecord): ReadControl {
  if (body.length < 10) return {};
  const kind = body.readUInt32LE(4) & 0x0f;
  return shownNumbers.includes(kind) ? { inline: String(body.readUInt16LE(8)) } : {};
}

// A main text with another one above it, as ruby has it (HWP 5.0, table 151).
function readOverText({ body }: HwpRecord): ReadControl {
  const main = countedText(body, 4);
  const over = countedText(body, 4 + 2 + 2 * main.length);
  const text = over === "" ? main : `${main} (${over})`;
  return text === "" ? {} : { inline: text };
}
