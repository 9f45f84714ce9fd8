import { AppError } from "@attune/service-kit/app-error.ts";
import type { Document, Metadata } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import type { GrayPicture } from "../../ocr/gray-picture.ts";
import { choosePages } from "./choose-pages.ts";
import { PageSketch } from "./explain/page-sketch.ts";
import { GarbleMeter } from "./garbled-text.ts";
import { compactBlock } from "./layout/compact-block.ts";
import { FurnitureFinder } from "./layout/furniture.ts";
import { type LaidOutPage, layOutPages } from "./layout/lay-out-pages.ts";
import { findPageLines, type PageLines } from "./layout/page-lines.ts";
import type { PlacedFigure } from "./layout/place-figures.ts";
import { type PlacedBlock, toBlocks } from "./layout/to-blocks.ts";
import type { PageFrame } from "./layout/to-source.ts";
import type { OutlineEntry, PageContent } from "./page-content.ts";
import type { OcrCause } from "./ocr/ocr-account.ts";
import { ScanReader } from "./ocr/scan-reader.ts";
import { pagesInWords } from "./pages-in-words.ts";

/** Pages laid out together, so that the letters of a long document are not all held at once. */
const pagesTogether = 40;
/** After so many unreadable pages in a row the page tree is taken to be false. */
const maxFailuresInRow = 200;

/** Where the pages of a document come from; indices count from 0. */
export interface PageSource {
  readonly pageCount: number;
  readMetadata(): Metadata;
  readOutline(): readonly OutlineEntry[];
  /** Undefined when the page cannot be loaded. */
  readPage(index: number): PageContent | undefined;
  /** The page as it looks, for OCR; of the page read last. */
  renderPage(index: number): GrayPicture | undefined;
}

/** The account of one document while its pages are read. */
export class Reading {
  readonly #context: ReadContext;
  readonly #blocks: PlacedBlock[] = [];
  readonly #unreadable: number[] = [];
  readonly #missed: number[] = [];
  readonly #scans: ScanReader;
  readonly #garbled: number[] = [];
  readonly #cut: number[] = [];
  readonly #furnitureFinder: FurnitureFinder | undefined;
  readonly #sketch: PageSketch | undefined;
  /** Frames of the pages that are not read as they are shown. */
  readonly #frames = new Map<number, PageFrame>();
  readonly #figures: PlacedFigure[] = [];
  #pending: PageLines[] = [];
  #numbers: readonly number[] | undefined;
  #next = 0;
  #pageInHand: number | undefined;
  #outline: readonly OutlineEntry[] = [];
  #metadata: Metadata = {};
  #hiddenGlyphCount = 0;
  #failuresInRow = 0;
  #readCount = 0;

  /** @param isPicture The pages are pictures, not pages that lack a text layer. */
  constructor(context: ReadContext, isPicture = false) {
    this.#context = context;
    this.#scans = new ScanReader(context, isPicture);
    this.#furnitureFinder = context.options.headersFooters === "keep" ? undefined : new FurnitureFinder();
    this.#sketch = context.options.explain && new PageSketch(context.options.explain);
  }

  /** Reads the pages asked for, from the first that has not been read yet, up to one for which OCR must be made ready first. */
  read(pages: PageSource): "done" | "wants OCR" {
    this.#numbers ??= choosePages(pages.pageCount, this.#context);
    this.#metadata = pages.readMetadata();
    this.#outline = pages.readOutline();
    while (this.#next < this.#numbers.length) {
      if (this.#context.budget.isTimeSpent || this.#failuresInRow >= maxFailuresInRow) break;
      const number = this.#numbers[this.#next++] as number;
      this.#pageInHand = number;
      const page = pages.readPage(number - 1);
      const cause = page && this.#scans.causeOf(page);
      if (cause !== undefined && this.#scans.mustPrepare) {
        this.#next--;
        this.#pageInHand = undefined;
        return "wants OCR";
      }
      this.#add(number, page && this.#readText(pages, page, cause));
      this.#pageInHand = undefined;
    }
    const rest = this.#numbers.slice(this.#next);
    if (this.#failuresInRow >= maxFailuresInRow) this.#unreadable.push(...rest);
    else this.#missed.push(...rest);
    return "done";
  }

  prepareOcr(): Promise<void> {
    return this.#scans.prepare();
  }

  /** Notes the page that was being read when reading failed; false when it failed elsewhere. */
  leaveOutFaultyPage(): boolean {
    if (this.#pageInHand === undefined) return false;
    this.#unreadable.push(this.#pageInHand);
    this.#pageInHand = undefined;
    return this.#readCount > 0 || this.#next < (this.#numbers?.length ?? 0);
  }

  #readText(pages: PageSource, page: PageContent, cause: OcrCause | undefined): PageContent {
    if (cause !== undefined) return this.#scans.read(page, cause, () => pages.renderPage(page.number - 1));
    this.#scans.keep(page);
    return page;
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
    this.#sketch?.addContent(page);
    if (page.glyphs.length === 0) return;
    if (new GarbleMeter(page.glyphs).isGarbled) this.#garbled.push(number);
    const lines = findPageLines(page);
    if (lines.turn !== 0 || lines.isMirrored) this.#frames.set(number, frameOf(lines));
    for (const figure of lines.figures ?? []) this.#figures.push({ ...figure, page: number });
    this.#pending.push(lines);
    if (this.#pending.length >= pagesTogether) this.#layOut();
  }

  /** @throws AppError `PARSE_TIMEOUT`, `DOCUMENT_CORRUPT` or `TEXT_NOT_FOUND` when there is nothing to give. */
  toDocument(): Document {
    this.#layOut();
    if (this.#readCount === 0) throw this.#nothingRead();
    if (this.#blocks.length === 0) throw this.#nothingWritten();
    this.#warn();
    const blocks = toBlocks(this.#blocks, this.#outline, { frames: this.#frames, figures: this.#figures });
    this.#sketch?.finish(blocks);
    return { metadata: this.#metadata, blocks };
  }

  #layOut(): void {
    for (const page of layOutPages(this.#pending, this.#furnitureFinder, this.#sketch?.addLayout)) {
      for (const block of page.blocks) {
        if (block.kind === "table")
          this.#context.budget.takeTableCells(block.rows.reduce((sum, row) => sum + row.length, 0));
        this.#blocks.push(compactBlock(block));
      }
      if (page.isPlain)
        this.#context.warn(`page ${page.number}: ${whyPlain(page)}, so it is given in plain reading order`);
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
    return this.#scans.failure() ?? new AppError("TEXT_NOT_FOUND", { detail: "Its pages are empty." });
  }

  #warn(): void {
    const tell = (numbers: readonly number[], what: string) => {
      if (numbers.length > 0) this.#context.warn(`${pagesInWords(numbers)}: ${what}`);
    };
    tell(this.#missed, "left out, because the time allowed was spent");
    tell(this.#unreadable, "cannot be loaded and left out");
    this.#scans.tell();
    tell(this.#garbled, "the text layer looks garbled (its fonts do not say which letters they draw)");
    tell(this.#cut, "so many objects that the rest of the page was left out");
    if (this.#hiddenGlyphCount > 0) {
      this.#context.warn(`${this.#hiddenGlyphCount} characters that cannot be seen on the page were left out`);
    }
  }
}

function frameOf({ turn, isMirrored, width, height }: PageLines): PageFrame {
  return { turn, isMirrored, width, height };
}

function whyPlain({ reached }: LaidOutPage): string {
  return reached === 1
    ? "it has more lines than can be laid out"
    : `its layout would lose ${Math.round((1 - reached) * 100)} % of the text`;
}
