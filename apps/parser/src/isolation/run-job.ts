import { AppError } from "@attune/service-kit/app-error.ts";
import { countBlocks } from "../document/count-blocks.ts";
import { countCodePoints } from "../document/count-code-points.ts";
import { documentText } from "../document/document-text.ts";
import type { Document } from "../document/document.ts";
import { normaliseDocument } from "../document/normalise-document.ts";
import { renderDocument } from "../document/render/render-document.ts";
import type { RenderOptions } from "../document/render/render-options.ts";
import { Budget } from "../limits/budget.ts";
import { readSource } from "../reading/read-source.ts";
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
  const { document: read, warnings } = await readSource(input, options.read, budget);
  if (countBlocks(read.blocks) > limits.maxBlocks) {
    throw new AppError("LIMIT_EXCEEDED", {
      detail: `It has more than ${limits.maxBlocks} blocks (PARSER_MAX_BLOCKS).`,
    });
  }
  const document = normaliseDocument(read);
  const isEmpty = !hasText(document);
  if (isEmpty && budget.isTimeSpent) throw new AppError("PARSE_TIMEOUT");
  const text = renderWithin(limits.maxOutputBytes, document, options.render);
  const content = Buffer.from(text, "utf8");
  if (content.length > limits.maxOutputBytes) throw outputTooLarge(limits.maxOutputBytes);
  return { content, contentLength: countCodePoints(text), isEmpty, warnings: boundWarnings(warnings) };
}

function hasText({ blocks }: Document): boolean {
  for (const text of documentText(blocks)) if (/\S/.test(text)) return true;
  return false;
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

const maxWarnings = 200;
const maxWarningCharacters = 500;

/** Keeps `ParseResponse.message` and the pipe small, and says so. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const kept = warnings.slice(0, maxWarnings).map((warning) => warning.slice(0, maxWarningCharacters));
  const left = warnings.length - kept.length;
  return left > 0 ? [...kept, `${left} more warnings are left out.`] : kept;
}
