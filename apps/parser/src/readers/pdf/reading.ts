import { AppError } from "@attune/service-kit/app-error.ts";
import type { Document, Metadata } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import { choosePages } from "./choose-pages.ts";
import { GarbleMeter } from "./garbled-text.ts";
import { FurnitureFinder } from "./layout/furniture.ts";
import { layOutPages } from "./layout/lay-out-pages.ts";
import { findPageLines, type PageLines } from "./layout/page-lines.ts";
import { type PlacedBlock, toBlocks } from "./layout/to-blocks.ts";
import type { OutlineEntry, PageContent } from "./page-content.ts";
import { pagesInWords } from "./pages-in-words.ts";
import type { OpenDocument } from "./pdfium/open-document.ts";
import { readMetadata } from "./pdfium/read-metadata.ts";
import { readOutline } from "./pdfium/read-outline.ts";
import { readPage } from "./pdfium/read-page.ts";

/** Pages laid out together, so that the letters of a long document are not all held at once. */
const pagesTogether = 40;
/** After so many unreadable pages in a row the page tree is taken to be false. */
const maxFailuresInRow = 200;

/** The account of one document while its pages are read. */
export class Reading {
  readonly #context: ReadContext;
  readonly #blocks: PlacedBlock[] = [];
  readonly #unreadable: number[] = [];
  readonly #missed: number[] = [];
  /** Pages with pictures and no text: what OCR would be for. */
  readonly #withoutText: number[] = [];
  readonly #garbled: number[] = [];
  readonly #cut: number[] = [];
  readonly #furnitureFinder: FurnitureFinder | undefined;
  #pending: PageLines[] = [];
  #numbers: readonly number[] | undefined;
  #next = 0;
  #pageInHand: number | undefined;
  #outline: readonly OutlineEntry[] = [];
  #metadata: Metadata = {};
  #hiddenGlyphCount = 0;
  #failuresInRow = 0;
  #readCount = 0;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#furnitureFinder = context.options.headersFooters === "keep" ? undefined : new FurnitureFinder();
  }

  /** Reads the pages asked for, from the first that has not been read yet. */
  read(document: OpenDocument): void {
    this.#numbers ??= choosePages(document.pageCount, this.#context);
    this.#metadata = readMetadata(document);
    this.#outline = readOutline(document);
    while (this.#next < this.#numbers.length) {
      if (this.#context.budget.isTimeSpent || this.#failuresInRow >= maxFailuresInRow) break;
      const number = this.#numbers[this.#next++] as number;
      this.#pageInHand = number;
      this.#add(number, readPage(document, number - 1));
      this.#pageInHand = undefined;
    }
    const rest = this.#numbers.slice(this.#next);
    if (this.#failuresInRow >= maxFailuresInRow) this.#unreadable.push(...rest);
    else this.#missed.push(...rest);
  }

  /** Notes the page that was being read when reading failed; false when it failed elsewhere. */
  leaveOutFaultyPage(): boolean {
    if (this.#pageInHand === undefined) return false;
    this.#unreadable.push(this.#pageInHand);
    this.#pageInHand = undefined;
    return this.#readCount > 0 || this.#next < (this.#numbers?.length ?? 0);
  }

  #add(number: number, page: PageContent | undefined): void {
    if (page === undefined) {
      this.#unreadable.push(number);
      this.#failuresInRow++;
      return;
    }
    this.#failuresInRow = 0;
    this.#readCount++;
    this.#hiddenGlyphCount += page.hiddenGlyphCount;
    if (page.isCut) this.#cut.push(number);
    if (page.glyphs.length === 0) {
      if (page.images.length > 0) this.#withoutText.push(number);
      return;
    }
    if (new GarbleMeter(page.glyphs).isGarbled) this.#garbled.push(number);
    this.#pending.push(findPageLines(page));
    if (this.#pending.length >= pagesTogether) this.#layOut();
  }

  /** @throws AppError `PARSE_TIMEOUT`, `DOCUMENT_CORRUPT` or `TEXT_NOT_FOUND` when there is nothing to give. */
  toDocument(): Document {
    this.#layOut();
    if (this.#readCount === 0) throw this.#nothingRead();
    if (this.#blocks.length === 0) throw this.#nothingWritten();
    this.#warn();
    return { metadata: this.#metadata, blocks: toBlocks(this.#blocks, this.#outline) };
  }

  #layOut(): void {
    for (const page of layOutPages(this.#pending, this.#furnitureFinder)) {
      for (const block of page.blocks) {
        if (block.kind === "table")
          this.#context.budget.takeTableCells(block.rows.reduce((sum, row) => sum + row.length, 0));
        this.#blocks.push(block);
      }
      if (!page.isPlain) continue;
      const lost = Math.round((1 - page.reached) * 100);
      this.#context.warn(
        `page ${page.number}: its layout would lose ${lost} % of the text, so it is given in plain reading order`,
      );
    }
    this.#pending = [];
  }

  #nothingRead(): AppError {
    if (this.#missed.length > 0) return new AppError("PARSE_TIMEOUT");
    return new AppError("DOCUMENT_CORRUPT", { detail: "None of its pages can be loaded." });
  }

  #nothingWritten(): AppError {
    if (this.#missed.length > 0) return new AppError("PARSE_TIMEOUT");
    if (this.#hiddenGlyphCount > 0) {
      return new AppError("TEXT_NOT_FOUND", {
        detail: `Its ${this.#hiddenGlyphCount} characters cannot be seen on its pages.`,
      });
    }
    const pictures = `It has pictures, but no text layer, on ${pagesInWords(this.#withoutText)}.`;
    const detail = this.#withoutText.length > 0 ? pictures : "Its pages have no text layer.";
    return new AppError("TEXT_NOT_FOUND", { detail });
  }

  #warn(): void {
    const tell = (numbers: readonly number[], what: string) => {
      if (numbers.length > 0) this.#context.warn(`${pagesInWords(numbers)}: ${what}`);
    };
    tell(this.#missed, "left out, because the time allowed was spent");
    tell(this.#unreadable, "cannot be loaded and left out");
    tell(this.#withoutText, "no text layer, only pictures, which were not read");
    tell(this.#garbled, "the text layer looks garbled (its fonts do not say which letters they draw)");
    tell(this.#cut, "so many objects that the rest of the page was left out");
    if (this.#hiddenGlyphCount > 0) {
      this.#context.warn(`${this.#hiddenGlyphCount} characters that cannot be seen on the page were left out`);
    }
  }
}
