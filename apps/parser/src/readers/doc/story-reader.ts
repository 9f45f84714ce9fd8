import type { TextSpan } from "../../containers/opc-inlines.ts";
import { FieldStack } from "../../containers/word-fields.ts";
import { BlockBuilder, type FlatParagraph } from "../../containers/word-blocks.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import type { Anchored } from "./drawings.ts";
import { hasWholeFields } from "./has-whole-fields.ts";
import { readInlines } from "./inline-reader.ts";
import { applyParagraphGroup, type ParagraphChanges } from "./paragraph-changes.ts";
import { placeOf } from "./paragraph-place.ts";
import { readRowDefinition } from "./row-definition.ts";
import { headingLevelOfOutline, type ParagraphStyle } from "./stylesheet.ts";
import { buildTable, type TableRowContent } from "./table-builder.ts";
import { cellMark, type RawParagraph } from "./text-run.ts";
import { type TextRange, walkParagraphs } from "./walk-paragraphs.ts";
import type { WordReading } from "./word-reading.ts";

/** Tables inside one another that are told apart. */
const maxTableDepth = 16;
/** Text boxes inside the text of others. */
const maxStoryDepth = 8;

interface OpenTable {
  readonly rows: TableRowContent[];
  cells: (readonly Block[])[];
  cell: BlockBuilder;
  hasContent: boolean;
}

/** The blocks of a range of the text. */
export function readStory(reading: WordReading, range: TextRange, depth = 0): Block[] {
  if (depth > maxStoryDepth) return [];
  const reader = new StoryReader(reading, range, depth);
  for (const paragraph of walkParagraphs(reading.text, range)) reader.add(paragraph);
  return reader.finish();
}

class StoryReader {
  readonly #reading: WordReading;
  readonly #depth: number;
  readonly #range: TextRange;
  readonly #fields: FieldStack;
  #hasWholeFields: boolean | undefined;
  #lastFormatting: RawParagraph["formatting"];
  #lastChanges: Readonly<ParagraphChanges> = {};
  readonly #body = new BlockBuilder();
  readonly #tables: OpenTable[] = [];
  // What goes before the next paragraph: a drop capital, or a paragraph whose end was deleted.
  #pending: TextSpan[] = [];
  // Paragraphs whose ends were deleted look as the first of them where the last one has no text of its own.
  #pendingLook: { readonly style: ParagraphStyle; readonly changes: ParagraphChanges } | undefined;

  constructor(reading: WordReading, range: TextRange, depth: number) {
    this.#reading = reading;
    this.#range = range;
    this.#depth = depth;
    this.#fields = new FieldStack((kind) => reading.leavesOutField(kind));
  }

  add(raw: RawParagraph): void {
    const style = this.#styleOf(raw);
    const changes = this.#changesOf(raw, style);
    const depth = depthOf(changes);
    this.#openTables(depth);
    const isRowEnd = depth > 0 && (depth === 1 ? changes.isRowEnd === true : changes.isInnerRowEnd === true);
    if (isRowEnd) return this.#endRow(raw, style);
    this.#addParagraph(raw, style, changes);
    const isCellEnd = depth > 0 && (raw.mark === cellMark || changes.isInnerCellEnd === true);
    if (isCellEnd) this.#endCell();
  }

  finish(): Block[] {
    if (this.#pending.length > 0) this.#addContent([], this.#reading.stylesheet.paragraphStyle(0), {});
    this.#openTables(0);
    return this.#body.finish();
  }

  #styleOf({ formatting, changes }: RawParagraph): ParagraphStyle {
    const { stylesheet, file, findGroup } = this.#reading;
    const ofPiece: ParagraphChanges = {};
    if (changes.length > 0) applyParagraphGroup(ofPiece, changes, { isWord6: file.fib.isWord6, findGroup });
    return stylesheet.paragraphStyle(ofPiece.styleIndex ?? formatting?.styleIndex ?? 0);
  }

  // Paragraphs that follow one another often share one run of formatting.
  #changesOf({ formatting, changes: ofPiece }: RawParagraph, style: ParagraphStyle): Readonly<ParagraphChanges> {
    const isShared = formatting !== undefined && ofPiece.length === 0;
    if (isShared && formatting === this.#lastFormatting) return this.#lastChanges;
    const { findGroup, file } = this.#reading;
    const source = { isWord6: file.fib.isWord6, findGroup };
    const changes: ParagraphChanges = { ...style.paragraph };
    if (formatting !== undefined) applyParagraphGroup(changes, formatting.group, source);
    if (ofPiece.length > 0) applyParagraphGroup(changes, ofPiece, source);
    if (isShared) this.#lastFormatting = formatting;
    if (isShared) this.#lastChanges = changes;
    return changes;
  }

  #addParagraph(raw: RawParagraph, style: ParagraphStyle, changes: ParagraphChanges): void {
    const content = readInlines(raw, { reading: this.#reading, fields: this.#fields, style });
    this.#endInstructions();
    const { images, blocks } = this.#readAnchored(content.anchored);
    if (content.isEndDeleted || changes.isDropCap === true) {
      for (const span of content.spans) this.#pending.push(span);
      if (content.isEndDeleted && content.spans.length > 0) this.#pendingLook ??= { style, changes };
    } else this.#addContent(content.spans, style, { ...changes, images, isMonospaced: content.isMonospaced });
    this.#addBlocks(blocks);
  }

  // An instruction may go on in the next paragraph, but not in files where fields do not end: it would hide what follows.
  #endInstructions(): void {
    if (this.#fields.isEmpty || this.#fields.isVisible) return;
    this.#hasWholeFields ??= hasWholeFields(this.#reading.text, this.#range);
    if (!this.#hasWholeFields) this.#fields.dropInstructions();
  }

  #addContent(spans: TextSpan[], style: ParagraphStyle, parts: ParagraphParts): void {
    const look = spans.length === 0 ? this.#pendingLook : undefined;
    const all = this.#pending.length === 0 ? spans : [...this.#pending, ...spans];
    this.#pending = [];
    this.#pendingLook = undefined;
    this.#build(all, look?.style ?? style, look === undefined ? parts : { ...parts, ...look.changes });
  }

  #build(all: TextSpan[], style: ParagraphStyle, parts: ParagraphParts): void {
    const place = placeOf(parts, this.#reading.numbering);
    this.#placeImages(all, parts.images ?? [], place !== undefined);
    if (all.length === 0 && style.role !== "code" && style.role !== "preformatted") return;
    this.#reading.takeBlock();
    this.#target.addParagraph({
      spans: all,
      ...this.#kindOf(parts, style),
      place,
      indent: parts.indent ?? place?.indent,
      isMonospaced: parts.isMonospaced ?? false,
    });
    this.#markContent();
  }

  #placeImages(spans: TextSpan[], images: readonly ImageContent[], isInList: boolean): void {
    if (isInList) for (const image of images) spans.push({ content: { type: "image", ...image }, format: 0 });
    else this.#addBlocks(images.map((image) => ({ type: "image", ...image })));
  }

  // Cells have no headings.
  #kindOf(parts: ParagraphParts, style: ParagraphStyle): Pick<FlatParagraph, "role" | "headingLevel"> {
    const { role } = style;
    const isInTable = this.#tables.length > 0;
    const canHead = !isInTable && role !== "toc" && role !== "caption";
    return {
      role: role === "title" && isInTable ? "body" : role,
      headingLevel: canHead ? headingLevelOf(parts, style) : undefined,
    };
  }

  #addBlocks(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#reading.takeBlock();
      this.#target.addBlock(block);
      this.#markContent();
    }
  }

  #markContent(): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) table.hasContent = true;
  }

  // Pictures stand before the paragraph that they are anchored in, texts after it.
  #readAnchored(anchored: readonly Anchored[]): { images: ImageContent[]; blocks: Block[] } {
    const images: ImageContent[] = [];
    const blocks: Block[] = [];
    const { textBoxes, pictures } = this.#reading;
    for (const { shapes, boxCount } of anchored) {
      const ranges = textBoxes.takeNext(boxCount);
      for (const { id, alt, wordArtText, pictureNumber } of shapes) {
        if (pictureNumber > 0) images.push(pictures.storedImage(pictureNumber, alt));
        const text = wordArtText.trim();
        if (text !== "") blocks.push({ type: "paragraph", inlines: [text] });
        const range = textBoxes.take(id);
        if (range !== undefined) ranges.push(range);
      }
      for (const range of ranges) {
        for (const block of readStory(this.#reading, range, this.#depth + 1)) blocks.push(block);
      }
    }
    return { images, blocks };
  }

  get #target(): BlockBuilder {
    return this.#tables.at(-1)?.cell ?? this.#body;
  }

  // Closes tables deeper than asked for and opens those that are missing.
  #openTables(depth: number): void {
    while (this.#tables.length > depth) this.#closeTable();
    while (this.#tables.length < depth) {
      this.#tables.push({ rows: [], cells: [], cell: new BlockBuilder(), hasContent: false });
    }
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    // Cells whose row never ends are kept as one.
    if (table.hasContent) table.cells.push(table.cell.finish());
    if (table.cells.length > 0) table.rows.push({ cells: table.cells, definition: noDefinition });
    this.#addBlocks(buildTable(table.rows, this.#reading));
  }

  #endCell(): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    table.cells.push(table.cell.finish());
    table.cell = new BlockBuilder();
    table.hasContent = false;
  }

  #endRow(raw: RawParagraph, style: ParagraphStyle): void {
    const table = this.#tables.at(-1);
    if (table === undefined) return;
    const { runs, formatting } = raw;
    const mark = runs.at(-1);
    const isDeleted = mark !== undefined && this.#reading.looks.lookOf(mark, style).isDeleted;
    if (table.hasContent) this.#endCell();
    const { cells } = table;
    table.cells = [];
    if (isDeleted) return this.#reading.count("deleted");
    const { findGroup, file } = this.#reading;
    const group = formatting?.group ?? Buffer.alloc(0);
    const definition = readRowDefinition(group, { isWord6: file.fib.isWord6, findGroup });
    if (cells.length > 0) table.rows.push({ cells, definition });
  }
}

const noDefinition = { isHeader: false, hasHeaderLook: false, left: 0, cells: [] };

interface ParagraphParts extends ParagraphChanges {
  readonly images?: readonly ImageContent[];
  readonly isMonospaced?: boolean;
}

function depthOf({ depth, isInTable }: ParagraphChanges): number {
  if (isInTable !== true && (depth ?? 0) <= 0) return 0;
  return Math.max(1, Math.min(depth ?? 1, maxTableDepth));
}

function headingLevelOf({ outlineLevel }: ParagraphChanges, style: ParagraphStyle): number | undefined {
  // The level of a style is among the changes too, where it says less than the style's name.
  if (outlineLevel === undefined || outlineLevel === style.paragraph.outlineLevel) return style.headingLevel;
  return headingLevelOfOutline(outlineLevel);
}
