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
}

/** FPDF_GetLastError, fpdfview.h. */
const lastError = { password: 4, security: 5 };

/**
 * Opens a document, hands it to `use` and closes it, whatever happens.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`, `MEMORY_EXCEEDED`.
 */
export function withDocument<T>(
  pdfium: Pdfium,
  file: { readonly bytes: Uint8Array; readonly password: string | undefined },
  use: (document: OpenDocument) => T,
): T {
  const { raw } = pdfium;
  const buffer = pdfium.allocate(file.bytes);
  if (buffer === 0) throw new AppError("MEMORY_EXCEEDED");
  const password = pdfium.allocate(Buffer.from(`${file.password ?? ""}\0`));
  const pointer = raw._FPDF_LoadMemDocument(buffer, file.bytes.length, password);
  return closeAfter(
    () => {
      if (pointer === 0) throw openError(raw._FPDF_GetLastError(), file.password);
      return withForm(pdfium, pointer, (form) =>
        use({ pdfium, pointer, pageCount: raw._FPDF_GetPageCount(pointer), form }),
      );
    },
    () => {
      if (pointer !== 0) raw._FPDF_CloseDocument(pointer);
      pdfium.release(password);
      pdfium.release(buffer);
    },
  );
}

// No JavaScript of the document is run: the library is built without it, and the calls that would ask for it are not made.
function withForm<T>(pdfium: Pdfium, pointer: number, use: (form: number) => T): T {
  const { raw } = pdfium;
  const callbacks = raw._PDFiumExt_OpenFormFillInfo();
  const form = raw._PDFiumExt_InitFormFillEnvironment(pointer, callbacks);
  return closeAfter(
    () => use(form),
    () => {
      if (form !== 0) raw._PDFiumExt_ExitFormFillEnvironment(form);
      raw._PDFiumExt_CloseFormFillInfo(callbacks);
    },
  );
}

function openError(code: number, password: string | undefined): AppError {
  if (code === lastError.password) return new AppError(password === undefined ? "PASSWORD_REQUIRED" : "PASSWORD_WRONG");
  if (code === lastError.security) return new AppError("ENCRYPTION_UNSUPPORTED");
  return new AppError("DOCUMENT_CORRUPT", { detail: "It has no readable PDF structure." });
}
