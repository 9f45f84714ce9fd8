import { AppError } from "@attune/service-kit/app-error.ts";
import type { Document } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";

/** Reads what a compressed file holds; `fileName` is that of the compressed file. */
export function readExpanded(bytes: Uint8Array, fileName: string, context: ReadContext): Promise<Document> {
  context.budget.takeExpandedBytes(bytes.length);
  return context.readPart({ bytes, fileName: innerName(fileName) });
}

export function expandsTooFar(): AppError {
  return new AppError("LIMIT_EXCEEDED", {
    detail: "It expands too far (PARSER_MAX_ENTRY_MIB, PARSER_MAX_EXPANDED_MIB).",
  });
}

export function damaged(compression: string, cause: unknown): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its ${compression} stream is damaged or cut off.` }, cause);
}

function innerName(fileName: string): string {
  return fileName.replace(/\.(?:tgz|tbz2?|txz|tzst)$/i, ".tar").replace(/\.(?:gz|gzip|bz2|xz|zst)$/i, "");
}
