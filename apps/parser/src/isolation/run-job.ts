import { AppError } from "@attune/service-kit/app-error.ts";
import type { Document } from "../document/document.ts";
import { renderDocument } from "../document/render/render-document.ts";
import type { RenderOptions } from "../document/render/render-options.ts";
import { Budget } from "../limits/budget.ts";
import { readSource } from "../reading/read-source.ts";
import { hasText } from "./has-text.ts";
import type { JobMessage } from "./messages.ts";
import type { JobResult } from "./serve-jobs.ts";

/**
 * Bytes of a file → its text, in this very process.
 * @throws AppError what the reader throws; `OUTPUT_TOO_LARGE`; `PARSE_TIMEOUT` when time ran out before anything was read.
 */
export async function runJob(job: JobMessage, bytes: Uint8Array): Promise<JobResult> {
  const { fileName, format, charset, options, limits } = job;
  const budget = new Budget(limits);
  const input = { bytes, fileName, format, ...(charset !== undefined && { charset }) };
  const { document, warnings } = await readSource(input, options.read, budget);
  const isEmpty = !hasText(document.blocks);
  if (isEmpty && budget.isTimeSpent) throw new AppError("PARSE_TIMEOUT");
  const text = renderWithin(limits.maxOutputBytes, document, options.render);
  const content = Buffer.from(text, "utf8");
  if (content.length > limits.maxOutputBytes) throw outputTooLarge(limits.maxOutputBytes);
  return { content, contentLength: countCodePoints(text), isEmpty, warnings: boundWarnings(warnings) };
}

// The longest string V8 can hold is half a gibibyte; a text that passes the limit in characters passes it in bytes too.
function renderWithin(maxBytes: number, document: Document, options: RenderOptions): string {
  try {
    const text = renderDocument(document, options);
    if (text.length <= maxBytes) return text;
  } catch (error) {
    if (!isStringTooLong(error)) throw error;
  }
  throw outputTooLarge(maxBytes);
}

const isStringTooLong = (error: unknown) => error instanceof RangeError && /invalid string length/i.test(error.message);

const outputTooLarge = (maxBytes: number) =>
  new AppError("OUTPUT_TOO_LARGE", { detail: `It is longer than ${maxBytes} bytes (PARSER_MAX_OUTPUT_MIB).` });

/** Length in code points: UTF-16 units less one for each surrogate pair. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

const maxWarnings = 200;
const maxWarningCharacters = 500;

/** Keeps `ParseResponse.message` and the pipe small, and says so. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const kept = warnings.slice(0, maxWarnings).map((warning) => warning.slice(0, maxWarningCharacters));
  const left = warnings.length - kept.length;
  return left > 0 ? [...kept, `${left} more warnings are left out.`] : kept;
}
