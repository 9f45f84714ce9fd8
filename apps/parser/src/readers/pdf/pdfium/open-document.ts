import type { RandomAccess } from "../../../detection/random-access.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { closeAfter } from "./close-after.ts";
import type { Pdfium } from "./pdfium.ts";

/** An open document; `pointer` is PDFium's FPDF_DOCUMENT. */
export interface OpenDocument {
  readonly pdfium: Pdfium;
  readonly pointer: number;
  readonly pageCount: number;
  /** PDFium's FPDF_FORMHANDLE, which draws fields and notes that lack an appearance; 0 when there is none. */
  readonly form: number;
  /**
   * To be called when nothing of the document is in use, before the next page: PDFium keeps whatever its pages were made of
   * until the document is closed, so a long one is closed and opened again before that makes its memory grow.
   */
  makeRoom(): void;
}

/**
 * Opens a document, hands it to `use` and closes it, whatever happens.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`.
 */
export function withDocument<T>(pdfium: Pdfium, file: PdfFile, use: (document: OpenDocument) => T): T {
  const document = new DocumentHandle(pdfium, file);
  return closeAfter(
    () => {
      document.open();
      return use(document);
    },
    () => document.close(),
  );
}

export interface PdfFile {
  readonly file: RandomAccess;
  readonly password: string | undefined;
}

/** Bytes of the file that PDFium may read, most of which it keeps, before the document is opened again. */
const keptBytes = 8 << 20;
/** What is read between two openings, against what opening and finding a page take, so that these cost little. */
const minYield = 6;
/** Memory of PDFium up to which no document is opened again for what its pages took beyond what they read. */
const freeHeapBytes = 40 << 20;

class DocumentHandle implements OpenDocument {
  readonly pdfium: Pdfium;
  pointer = 0;
  form = 0;
  pageCount = 0;
  readonly #file: PdfFile;
  #formCallbacks = 0;
  #heapBytes = 0;
  /** Pages begun since the opening. */
  #begunCount = 0;
  /** Fewest bytes read from an opening to the end of the first page after it. */
  #openingBytes = Number.POSITIVE_INFINITY;

  constructor(pdfium: Pdfium, file: PdfFile) {
    this.pdfium = pdfium;
    this.#file = file;
  }

  open(): void {
    const { raw, file } = this.pdfium;
    file.open(this.#file.file);
    const password = this.pdfium.allocate(Buffer.from(`${this.#file.password ?? ""}\0`));
    this.pointer = raw._FPDF_LoadCustomDocument(file.pointer, password);
    this.pdfium.release(password);
    if (this.pointer === 0) throw openError(raw._FPDF_GetLastError(), this.#file.password);
    // No JavaScript of the document is run: the library is built without it, and the calls that would ask for it are not made.
    this.#formCallbacks = raw._PDFiumExt_OpenFormFillInfo();
    this.form = raw._PDFiumExt_InitFormFillEnvironment(this.pointer, this.#formCallbacks);
    this.pageCount = raw._FPDF_GetPageCount(this.pointer);
    this.#heapBytes = this.pdfium.heapBytes;
    this.#begunCount = 0;
  }

  close(): void {
    const { raw, file } = this.pdfium;
    if (this.form !== 0) raw._PDFiumExt_ExitFormFillEnvironment(this.form);
    if (this.#formCallbacks !== 0) raw._PDFiumExt_CloseFormFillInfo(this.#formCallbacks);
    if (this.pointer !== 0) raw._FPDF_CloseDocument(this.pointer);
    [this.form, this.#formCallbacks, this.pointer] = [0, 0, 0];
    file.close();
  }

  makeRoom(): void {
    const { readBytes } = this.pdfium.file;
    if (this.#begunCount === 1) this.#openingBytes = Math.min(this.#openingBytes, readBytes);
    this.#begunCount++;
    if (readBytes <= Math.max(keptBytes, this.#openingBytes * minYield) && !this.#hasGrown) return;
    this.close();
    this.open();
    this.#begunCount = 1;
  }

  // The memory grows by a fifth at a time and never shrinks, so this happens a few times in a document at the most.
  get #hasGrown(): boolean {
    return this.pdfium.heapBytes > Math.max(this.#heapBytes, freeHeapBytes);
  }
}

/** FPDF_GetLastError, fpdfview.h. */
const lastError = { password: 4, security: 5 };

function openError(code: number, password: string | undefined): AppError {
  if (code === lastError.password) return new AppError(password === undefined ? "PASSWORD_REQUIRED" : "PASSWORD_WRONG");
  if (code === lastError.security) return new AppError("ENCRYPTION_UNSUPPORTED");
  return new AppError("DOCUMENT_CORRUPT", { detail: "It has no readable PDF structure." });
}
