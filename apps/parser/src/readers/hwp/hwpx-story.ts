import type { TextSpan } from "../../containers/opc-inlines.ts";
import type { ZipArchive } from "../../containers/zip.ts";
import type { Block, ImageData } from "../../document/document.ts";
import { childElements, elementText, findDescendant, type XmlElement } from "../../xml/xml-tree.ts";
import { Flow, type HangulReading } from "./flow.ts";
import type { HwpxHead } from "./hwpx-head.ts";
import { placeCells, type PlacedCell } from "./place-cells.ts";

/** What reading any text of a package needs. */
export interface HwpxStory {
  readonly head: HwpxHead;
  readonly reading: HangulReading;
  readonly archive: ZipArchive;
  /** Names of parts by their ids. */
  readonly files: ReadonlyMap<string, string>;
}

/** The paragraphs directly inside an element as blocks. */
export function readStory(parent: XmlElement, story: HwpxStory): Block[] {
  const flow = new Flow(story.reading);
  for (const paragraph of childElements(parent, "p")) new ParagraphReader(paragraph, flow, story).read();
  return flow.finish();
}

type Read = (element: XmlElement, reader: ParagraphReader) => void;

/** Elements inside runs and controls; those that are not listed are read for the texts inside. */
const readers: Readonly<Record<string, Read>> = {
  __proto__: null as never,
  t: (element, reader) => reader.readText(element),
  tbl: (element, reader) => reader.addBlocks(readTable(element, reader.story)),
  pic: (element, reader) =>
    reader.addBlocks([...readPicture(element, reader.story), ...textsIn(element, reader.story)]),
  equation: (element, reader) => reader.addFormula(elementText(findDescendant(element, "script"))),
  footNote: (element, reader) => reader.addNote(element),
  endNote: (element, reader) => reader.addNote(element),
  header: (element, reader) => reader.addRunning(element),
  footer: (element, reader) => reader.addRunning(element),
  hiddenComment: (_, reader) => void reader.story.reading.commentCount++,
  fieldBegin: (element, reader) => reader.beginField(element),
  fieldEnd: (_, reader) => reader.endField(),
  autoNum: (element, reader) => reader.addNumber(element),
  dutmal: (element, reader) => reader.addOverText(element),
  compose: (element, reader) => reader.addText(element.attributes.get("composeText") ?? ""),
  secPr: () => undefined,
  linesegarray: () => undefined,
  ctrl: (element, reader) => reader.readInside(element),
};

const characters: Readonly<Record<string, string>> = {
  __proto__: null as never,
  nbSpace: "\u00a0",
  hyphen: "-",
  tab: " ",
  fwSpace: " ",
};

class ParagraphReader {
  readonly story: HwpxStory;
  readonly #paragraph: XmlElement;
  readonly #flow: Flow;
  #spans: TextSpan[] = [];
  #format = 0;
  #isDeleted = false;
  readonly #links: (string | undefined)[] = [];

  constructor(paragraph: XmlElement, flow: Flow, story: HwpxStory) {
    this.#paragraph = paragraph;
    this.#flow = flow;
    this.story = story;
  }

  read(): void {
    for (const child of childElements(this.#paragraph)) {
      if (child.name === "run") this.#format = this.story.head.formatOf(child.attributes.get("charPrIDRef"));
      if (child.name === "run") this.readInside(child);
      else this.#readElement(child);
    }
    this.#endLine();
  }

  readInside(parent: XmlElement): void {
    for (const element of childElements(parent)) this.#readElement(element);
  }

  #readElement(element: XmlElement): void {
    const read = readers[element.name];
    if (read === undefined) this.addBlocks(textsIn(element, this.story));
    else read(element, this);
  }

  // Text with elements for what is no character among it.
  readText(element: XmlElement): void {
    for (const child of element.children) {
      if (typeof child === "string") this.addText(child.replaceAll(/\s/g, " "));
      else if (child.name === "lineBreak") this.#spans.push({ content: { type: "lineBreak" }, format: 0 });
      // Text deleted under change tracking lies between two marks.
      else if (child.name === "deleteBegin") this.#isDeleted = true;
      else if (child.name === "deleteEnd") this.#isDeleted = false;
      else if (characters[child.name] !== undefined) this.addText(characters[child.name] ?? "");
      else this.readText(child);
    }
  }

  addText(text: string): void {
    if (this.#isDeleted) {
      this.story.reading.hasDeletedText = true;
      return;
    }
    const link = this.#links.at(-1);
    if (text !== "") this.#spans.push({ content: text, format: this.#format, ...(link !== undefined && { link }) });
  }

  addBlocks(blocks: readonly Block[]): void {
    if (blocks.length === 0) return;
    this.#endLine();
    this.#flow.addBlocks(blocks);
  }

  addFormula(script: string): void {
    if (script !== "") this.#spans.push({ content: { type: "formula", notation: "text", text: script }, format: 0 });
  }

  addNote(element: XmlElement): void {
    const blocks = textsIn(element, this.story);
    if (blocks.length === 0) return;
    this.#spans.push({ content: { type: "noteReference", id: this.story.reading.addNote(blocks) }, format: 0 });
  }

  addRunning(element: XmlElement): void {
    if (this.story.reading.context.options.headersFooters === "keep") this.addBlocks(textsIn(element, this.story));
  }

  beginField(element: XmlElement): void {
    const kind = element.attributes.get("type") ?? "";
    if (kind === "MEMO") this.story.reading.commentCount++;
    this.#links.push(kind === "HYPERLINK" ? addressOf(element) : this.#links.at(-1));
  }

  endField(): void {
    this.#links.pop();
  }

  // Numbers of pages and of notes stand elsewhere.
  addNumber({ attributes }: XmlElement): void {
    if (/^(?:PICTURE|TABLE|EQUATION)$/.test(attributes.get("numType") ?? "")) this.addText(attributes.get("num") ?? "");
  }

  addOverText(element: XmlElement): void {
    const [main, over] = ["mainText", "subText"].map((name) => elementText(findDescendant(element, name)));
    this.addText(over === "" ? (main ?? "") : `${main} (${over})`);
  }

  #endLine(): void {
    const { attributes } = this.#paragraph;
    const look = this.story.head.lookOf(attributes.get("paraPrIDRef"), attributes.get("styleIDRef"));
    this.#flow.addParagraph(this.#spans, look);
    this.#spans = [];
  }
}

const maxAddress = 4_096;

function addressOf(field: XmlElement): string | undefined {
  const path = childElements(findDescendant(field, "parameters") ?? field, "stringParam").find(
    ({ attributes }) => attributes.get("name") === "Path",
  );
  const address = elementText(path).replaceAll(/\\(.)/g, "$1");
  return /^(?:https?|ftp|mailto):/i.test(address) && address.length <= maxAddress ? address : undefined;
}

/** The texts of boxes, captions and whatever else has paragraphs, in the order of the file. */
function textsIn(element: XmlElement, story: HwpxStory): Block[] {
  const own = readStory(element, story);
  const inner = childElements(element).flatMap((child) => {
    if (child.name === "p") return [];
    if (child.name === "tbl") return readTable(child, story);
    return child.name === "pic" ? [...readPicture(child, story), ...textsIn(child, story)] : textsIn(child, story);
  });
  return [...own, ...inner];
}

function readTable(table: XmlElement, story: HwpxStory): Block[] {
  const caption = childElements(table, "caption").flatMap((element) => textsIn(element, story));
  const cells = childElements(table, "tr").flatMap((row) =>
    childElements(row, "tc").map((cell) => toCell(cell, story)),
  );
  return [...caption, ...placeCells(cells, story.reading.context.budget)];
}

function toCell(cell: XmlElement, story: HwpxStory): PlacedCell {
  const address = childElements(cell, "cellAddr")[0]?.attributes;
  const span = childElements(cell, "cellSpan")[0]?.attributes;
  const number = (text: string | undefined, fallback: number): number => {
    const value = Number.parseInt(text ?? "", 10);
    return value >= 0 ? value : fallback;
  };
  return {
    row: number(address?.get("rowAddr"), Infinity),
    column: number(address?.get("colAddr"), Infinity),
    rowSpan: number(span?.get("rowSpan"), 1),
    columnSpan: number(span?.get("colSpan"), 1),
    isHeader: cell.attributes.get("header") === "1",
    blocks: childElements(cell, "subList").flatMap((list) => readStory(list, story)),
  };
}

const mediaTypes: Readonly<Record<string, string>> = { jpg: "jpeg", jpeg: "jpeg", png: "png", gif: "gif", bmp: "bmp" };

function readPicture(picture: XmlElement, { files, archive, reading }: HwpxStory): Block[] {
  const id = findDescendant(picture, "img")?.attributes.get("binaryItemIDRef");
  const name = id === undefined ? undefined : files.get(id);
  // What Hangul writes there itself begins with “This is a picture.”
  const comment = elementText(childElements(picture, "shapeComment")[0]);
  const alt = comment.startsWith("그림입니다") ? "" : comment;
  if (name === undefined) return [{ type: "image", alt }];
  const mediaType = mediaTypes[name.split(".").at(-1)?.toLowerCase() ?? ""];
  const isWanted = reading.context.options.images === "data_uri" && mediaType !== undefined;
  const bytes = isWanted ? archive.read(name) : undefined;
  const data: ImageData | undefined = bytes && { mediaType: `image/${mediaType}`, bytes };
  return [{ type: "image", alt, reference: name, ...(data !== undefined && { data }) }];
}
