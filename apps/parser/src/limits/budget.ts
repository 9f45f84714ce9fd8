import { AppError } from "@attune/service-kit/app-error.ts";

/** Bounds on the work that one document may cause, however deeply it nests. All are inclusive. */
export interface DocumentLimits {
  /** Pages, slides or sheets read; what lies beyond is left out with a warning. */
  readonly maxPages: number;
  /** Members of all archives and packages inside the document together. */
  readonly maxArchiveEntries: number;
  /** Bytes that decompression may produce for the whole document. */
  readonly maxExpandedBytes: number;
  /** Bytes that decompression may produce for one member. */
  readonly maxEntryBytes: number;
  /** How many archives, messages or packages may lie inside one another. */
  readonly maxArchiveDepth: number;
  /** Elements inside one another in XML and HTML. */
  readonly maxMarkupDepth: number;
  /** Cells of all tables of the document together. */
  readonly maxTableCells: number;
  /** Blocks of the whole document, those inside lists, cells and quotes included. */
  readonly maxBlocks: number;
  /** Width times height of one image that is decoded. */
  readonly maxImagePixels: number;
  /** UTF-8 bytes of the answer. */
  readonly maxOutputBytes: number;
  /** Milliseconds of wall-clock time for reading; a reader that can stop between pages does so when it is spent. */
  readonly timeoutMs: number;
}

/** The running account of one document against its limits, shared by everything nested in it. */
export class Budget {
  readonly limits: DocumentLimits;
  readonly #startedAtMs = performance.now();
  #entries = 0;
  #expandedBytes = 0;
  #tableCells = 0;

  constructor(limits: DocumentLimits) {
    this.limits = limits;
  }

  /** Counts members of an archive before they are read. */
  takeEntries(count: number): void {
    this.#entries += count;
    if (this.#entries > this.limits.maxArchiveEntries) {
      throw exceeded("PARSER_MAX_ARCHIVE_ENTRIES", `more than ${this.limits.maxArchiveEntries} members of archives`);
    }
  }

  /** Counts bytes that decompression produced. Call it as they arrive, before they are kept. */
  takeExpandedBytes(count: number): void {
    this.#expandedBytes += count;
    if (this.#expandedBytes > this.limits.maxExpandedBytes) {
      throw exceeded("PARSER_MAX_EXPANDED_MIB", `more than ${this.limits.maxExpandedBytes} bytes when expanded`);
    }
  }

  /** The most that one member may still expand to. */
  get entryAllowanceBytes(): number {
    return Math.min(this.limits.maxEntryBytes, this.limits.maxExpandedBytes - this.#expandedBytes);
  }

  takeTableCells(count: number): void {
    this.#tableCells += count;
    if (this.#tableCells > this.limits.maxTableCells) {
      throw exceeded("PARSER_MAX_TABLE_CELLS", `more than ${this.limits.maxTableCells} cells of tables`);
    }
  }

  /** Refuses to go deeper than allowed; `depth` is 0 for the file itself. */
  assertArchiveDepth(depth: number): void {
    if (depth > this.limits.maxArchiveDepth) {
      throw exceeded("PARSER_MAX_ARCHIVE_DEPTH", `files nested more than ${this.limits.maxArchiveDepth} deep`);
    }
  }

  assertImagePixels(width: number, height: number): void {
    if (width * height > this.limits.maxImagePixels) {
      throw exceeded("PARSER_MAX_IMAGE_MEGAPIXELS", `an image of ${width} × ${height} pixels`);
    }
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  /** True when a reader that can return what it has so far should do so. */
  get isTimeSpent(): boolean {
    return this.elapsedMs >= this.limits.timeoutMs;
  }
}

function exceeded(setting: string, what: string): AppError {
  return new AppError("LIMIT_EXCEEDED", { detail: `It has ${what} (${setting}).` });
}
