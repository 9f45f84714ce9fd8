import type { Document } from "../document/document.ts";
import type { RandomAccess } from "../detection/random-access.ts";
import type { Budget } from "../limits/budget.ts";
import type { PageRecogniser } from "../ocr/recogniser.ts";

export interface ReaderInput {
  /** The whole file; where there is `file`, it is brought into memory by asking for this. */
  readonly bytes: Uint8Array;
  /** The file where it lies, for readers that need it here and there; only given to formats that are read in parts. */
  readonly file?: RandomAccess;
  /** The name without folders, as the caller or the enclosing archive gave it; may be empty. Only a title or a hint. */
  readonly fileName: string;
  /** Canonical name of the format, which is one that this reader declares. */
  readonly format: string;
  /** Character set that came with the file (HTTP header, MIME part); the override `encoding` stands above it. */
  readonly charset?: string;
}

/** The part of the request's overrides that concerns reading. */
export interface ReadOptions {
  /** One-based inclusive ranges, ascending; empty means all. */
  readonly pages: readonly PageRange[];
  readonly password?: string;
  /** An encoding label to use whatever the file says. */
  readonly encoding?: string;
  /** Whether running heads and feet of pages are left out. */
  readonly headersFooters: "drop" | "keep";
  /** `drop` leaves out the earlier messages that a message quotes, and signatures. Absent is `keep`. */
  readonly quotedText?: "keep" | "drop";
  /** `drop` leaves out navigation, heads and feet, notices and advertisements of web pages. Absent is `keep`. */
  readonly boilerplate?: "keep" | "drop";
  /** Readers attach the bytes of pictures only for `data_uri`. */
  readonly images: "none" | "placeholder" | "data_uri";
  /**
   * `drop` leaves out fields that show the present time or the name of the file. Set for documents that a converter has just
   * written: it fills them with the time and place of the conversion, which are no text of the document and differ each time.
   */
  readonly conversionFields?: "keep" | "drop";
  /** Absent where pictures of text are not read at all. */
  readonly ocr?: OcrOptions;
  /** Asks for a picture of what the layout of one page decided; only readers that lay pages out draw one. */
  readonly explain?: ExplainOptions;
}

export interface ExplainOptions {
  /** One-based. */
  readonly page: number;
  /** Receives the picture, an SVG file. */
  readonly report: (svg: string) => void;
}

/** When and how pictures of text are read. */
export interface OcrOptions {
  /** `auto`: pages that have no text of their own, or none that makes sense. */
  readonly when: "auto" | "always" | "never";
  /** Tesseract names, for example `eng`, `chi_sim`. */
  readonly languages: readonly string[];
}

export interface PageRange {
  readonly first: number;
  readonly last: number;
}

export interface PartInput {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** Canonical format, when the enclosing file is certain of it; detected from the bytes otherwise. */
  readonly format?: string;
  /** Set for text of the enclosing document itself, such as a chapter: it is no file inside and adds no depth. */
  readonly isOwnText?: boolean;
  /** Media type that the enclosing file claims; a hint. */
  readonly mediaType?: string;
  readonly charset?: string;
}

export interface ReadContext {
  readonly options: ReadOptions;
  readonly budget: Budget;
  /** Reads pictures of text; absent where that is not possible, such as in tests of readers. */
  readonly recogniser?: PageRecogniser;
  /** 0 for the file asked for, 1 for a file inside it, and so on. */
  readonly depth: number;
  /** Tells the caller of something lost, guessed or left out: one sentence, no document text beyond names. */
  warn(sentence: string): void;
  /**
   * Reads a file found inside this one with the reader of its format, one level deeper, on the same budget.
   * @throws AppError as a reader does; an unreadable part is the caller's to report with `warn`.
   */
  readPart(part: PartInput): Promise<Document>;
}

/**
 * Turns the bytes of a file into a document. Pure but for time: same input and options, same document.
 * @throws AppError `DOCUMENT_CORRUPT`, `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `LIMIT_EXCEEDED`, … Nothing else is thrown
 *   on purpose; anything else becomes `DOCUMENT_CORRUPT` at the edge of the worker.
 */
export type ReadDocument = (input: ReaderInput, context: ReadContext) => Document | Promise<Document>;
