import { AppError } from "@attune/service-kit/app-error.ts";
import type { WorkBook } from "@e965/xlsx";

/** The password of workbooks that are protected against change and not against reading ([MS-XLS] 2.2.10). */
const defaultPassword = "VelvetSweatshop";

/**
 * Reads the bytes with SheetJS: rows as arrays, numbers as numbers, number formats kept so that we show them ourselves.
 * @throws AppError as `bookToDocument` does.
 */
export async function loadBook(bytes: Uint8Array, password: string | undefined): Promise<WorkBook> {
  const { read, set_cptable } = await import("@e965/xlsx");
  set_cptable(await import("@e965/xlsx/dist/cpexcel.full.mjs"));
  try {
    return read(bytes, {
      type: "buffer",
      dense: true,
      cellDates: false,
      cellNF: true,
      cellText: true,
      cellHTML: false,
      cellFormula: false,
      // Without it, hidden rows and columns are not told.
      cellStyles: true,
      password: password ?? defaultPassword,
    });
  } catch (error) {
    throw toReadError(error, password);
  }
}

function toReadError(error: unknown, password: string | undefined): AppError {
  const message = error instanceof Error ? error.message : "";
  if (/password is incorrect/i.test(message))
    return new AppError(password === undefined ? "PASSWORD_REQUIRED" : "PASSWORD_WRONG", {}, error);
  if (/password|encrypt|unsupported.*(?:rc4|crypt)/i.test(message))
    return new AppError(password === undefined ? "PASSWORD_REQUIRED" : "ENCRYPTION_UNSUPPORTED", {}, error);
  if (error instanceof RangeError && /allocation|array length|memory/i.test(message))
    return new AppError("MEMORY_EXCEEDED", {}, error);
  return new AppError("DOCUMENT_CORRUPT", {}, error);
}
