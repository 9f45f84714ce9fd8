import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * Runs `use`, then `close`. After a fault of PDFium nothing is closed: its memory may be inconsistent, and the whole
 * instance is given up by `withPdfium`.
 */
export function closeAfter<T>(use: () => T, close: () => void): T {
  let result: T;
  try {
    result = use();
  } catch (error) {
    if (error instanceof AppError) close();
    throw error;
  }
  close();
  return result;
}
