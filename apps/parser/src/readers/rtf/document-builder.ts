import type { Block, Inline } from "../../document/document.ts";
import type { Budget } from "../../limits/budget.ts";
import type { ParagraphState } from "./group-state.ts";
import type { RtfHeader } from "./header.ts";
import { buildTable, type CellDefinition, type TableRowContent } from "./build-table.ts";
import { type FlatBlock, nestLists } from "./nest-lists.ts";
import { appendText, type Run, type RunFormat, toInlines } from "./paragraph.ts";

interface OpenTable {
  readonly rows: TableRowContent[];
  cells: Block[][];
  cell: FlatBlock[];
}

interface Container {
  readonly blocks: FlatBlock[];
  runs: Run[];
  listText: string;
  readonly tables: OpenTable[];
}

const maxTableDepth = 16;

/** Puts paragraphs, cells, rows and notes together as they end. */
export class DocumentBuilder {
  readonly #header: RtfHeader;
  readonly #budget: Budget;
  readonly #containers: Container[] = [newContainer()];
  readonly #notes: Block[] = [];
  #noteCount = 0;
  #hasLabels = false;

  constructor(header: RtfHeader, budget: Budget) {
    this.#header = header;
    this.#budget = budget;
  }

  text(text: string, format: RunFormat): void {
    appendText(this.#container.runs, text, format);
  }

  inline(inline: Inline, format: RunFormat): void {
    this.#container.runs.push({ format: { ...format }, text: "", inline });
  }

  listText(text: string): void {
    this.#container.listText += text;
  }

  get hasText(): boolean {
    return this.#container.runs.length > 0;
  }

  endParagraph(paragraph: ParagraphState): void {
    const { runs, listText } = this.#container;
    this.#container.runs = [];
    this.#container.listText = "";
    this.#openTables(paragraph.tableDepth);
    const block = this.#toBlock(runs, listText, paragraph);
    if (block !== undefined) this.#target.push(block);
  }

  endCell(depth: number, paragraph: ParagraphState): void {
    const tableDepth = Math.min(Math.max(1, depth), maxTableDepth);
    this.endParagraph({ ...paragraph, tableDepth });
    const table = this.#container.tables.at(-1);
    if (table === undefined) return;
    this.#budget.takeTableCells(1);
    table.cells.push(nestLists(table.cell));
    table.cell = [];
  }

  endRow(depth: number, definitions: readonly CellDefinition[], isHeader: boolean): void {
    this.#openTables(Math.min(Math.max(1, depth), maxTableDepth));
    const table = this.#container.tables.at(-1);
    if (table === undefined) return;
    // Text after the last cell mark belongs to nobody; it is kept as one more cell.
    if (table.cell.length > 0) table.cells.push(nestLists(table.cell));
    if (table.cells.length > 0) table.rows.push({ cells: table.cells, definitions, isHeader });
    table.cells = [];
    table.cell = [];
  }

  /** Begins text that stands apart, as a note or a text box does. */
  openContainer(): void {
    this.#containers.push(newContainer());
  }

  closeContainer(paragraph: ParagraphState): Block[] {
    if (this.hasText) this.endParagraph({ ...paragraph, tableDepth: this.#container.tables.length });
    this.#openTables(0);
    const blocks = nestLists(this.#container.blocks);
    if (this.#containers.length > 1) this.#containers.pop();
    return blocks;
  }

  note(blocks: readonly Block[], format: RunFormat): void {
    this.#noteCount++;
    const id = String(this.#noteCount);
    this.inline({ type: "noteReference", id }, format);
    this.#notes.push({ type: "footnote", id, blocks });
  }

  /** Places the blocks of a text box before the paragraph it is anchored in. */
  place(blocks: readonly Block[]): void {
    for (const block of blocks) this.#target.push(block);
  }

  finish(paragraph: ParagraphState): Block[] {
    while (this.#containers.length > 1) this.place(this.closeContainer(paragraph));
    const blocks = this.closeContainer(paragraph);
    return [...blocks, ...this.#notes];
  }

  get #container(): Container {
    return this.#containers.at(-1) as Container;
  }

  get #target(): FlatBlock[] {
    return this.#container.tables.at(-1)?.cell ?? this.#container.blocks;
  }

  // Closes tables deeper than asked for and opens those that are missing.
  #openTables(depth: number): void {
    const { tables } = this.#container;
    while (tables.length > depth) this.#closeTable();
    while (tables.length < Math.min(depth, maxTableDepth)) tables.push({ rows: [], cells: [], cell: [] });
  }

  #closeTable(): void {
    const table = this.#container.tables.pop();
    if (table === undefined) return;
    if (table.cell.length > 0) table.cells.push(nestLists(table.cell));
    if (table.cells.length > 0) table.rows.push({ cells: table.cells, definitions: [], isHeader: false });
    if (table.rows.length > 0) this.#target.push(buildTable(table.rows));
  }

  #toBlock(runs: readonly Run[], listText: string, paragraph: ParagraphState): FlatBlock | undefined {
    const isBlank = runs.every(({ text, inline }) => inline === undefined && text.trim() === "");
    if (isBlank) return undefined;
    const level = this.#headingLevel(paragraph);
    const inlines = toInlines(runs, level !== undefined);
    const label = listText.trim();
    if (level !== undefined) {
      return { type: "heading", level, inlines: label === "" ? inlines : [`${label} `, ...inlines] };
    }
    if (label === "" && (paragraph.listId ?? 0) === 0) return { type: "paragraph", inlines };
    this.#hasLabels ||= label !== "";
    const number = /(\d{1,6})\D{0,3}$/.exec(label)?.[1];
    return {
      type: "listParagraph",
      // Files that write out labels leave them away on further paragraphs of an item.
      isContinuation: label === "" && this.#hasLabels,
      level: paragraph.listLevel,
      ordered: this.#isOrdered(label, paragraph),
      number: number === undefined ? undefined : Number(number),
      inlines,
    };
  }

  #headingLevel({ style, outlineLevel, tableDepth }: ParagraphState): number | undefined {
    if (tableDepth > 0) return undefined;
    if (outlineLevel !== undefined && outlineLevel < 9) return outlineLevel + 1;
    return this.#header.headingLevel(style);
  }

  #isOrdered(label: string, { listId, listLevel }: ParagraphState): boolean {
    const isBullet = listId === undefined ? undefined : this.#header.isBullet(listId, listLevel);
    if (label !== "" && !/[\da-z]/i.test(label)) return false;
    return isBullet === undefined
      ? /^[([]?[\da-z]{1,8}(?:\.[\da-z]{1,8}){0,8}[.)\]]*$/i.test(label) && label !== "o"
      : !isBullet;
  }
}

function newContainer(): Container {
  return { blocks: [], runs: [], listText: "", tables: [] };
}
