import { gunzipSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../../limits/budget.ts";
import type { ReadDocument } from "../reader.ts";

/** The file that a gzip file (RFC 1952) holds. */
export const readGzip: ReadDocument = (input, context) => {
  const bytes = expand(input.bytes, context.budget);
  context.budget.takeExpandedBytes(bytes.length);
  return context.readPart({ bytes, fileName: innerName(input.fileName) });
};

function expand(bytes: Uint8Array, { entryAllowanceBytes }: Budget): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: entryAllowanceBytes });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new AppError("LIMIT_EXCEEDED", {
        detail: "It expands too far (PARSER_MAX_ENTRY_MIB, PARSER_MAX_EXPANDED_MIB).",
      });
    }
    throw new AppError("DOCUMENT_CORRUPT", { detail: "Its gzip stream is damaged or cut off." }, error);
  }
}

function innerName(fileName: string): string {
  return fileName.replace(/\.t(ar\.)?gz$/i, ".tar").replace(/\.gz(ip)?$/i, "");
}
