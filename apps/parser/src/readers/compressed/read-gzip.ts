import { gunzipSync } from "node:zlib";
import type { Budget } from "../../limits/budget.ts";
import type { ReadDocument } from "../reader.ts";
import { damaged, expandsTooFar, readExpanded } from "./read-expanded.ts";

/** The file that a gzip file (RFC 1952) holds. */
export const readGzip: ReadDocument = (input, context) =>
  readExpanded(expand(input.bytes, context.budget), input.fileName, context);

function expand(bytes: Uint8Array, { entryAllowanceBytes }: Budget): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: entryAllowanceBytes });
  } catch (error) {
    throw error instanceof RangeError ? expandsTooFar() : damaged("gzip", error);
  }
}
