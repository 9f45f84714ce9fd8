import { AppError } from "@attune/service-kit/app-error.ts";
import { countBlocks } from "../document/count-blocks.ts";
import { countCodePoints } from "../document/count-code-points.ts";
import { documentText } from "../document/document-text.ts";
import type { Document } from "../document/document.ts";
import { normaliseDocument } from "../document/normalise-document.ts";
import { renderPieces } from "../document/render/render-document.ts";
import { Budget } from "../limits/budget.ts";
import type { ExplainOptions, ReaderInput } from "../readers/reader.ts";
import { type ReadResult, readSource } from "../reading/read-source.ts";
import { createPageRecogniser } from "../ocr/create-page-recogniser.ts";
import type { JobMessage } from "./messages.ts";
import { createRemoteFile } from "./remote-file.ts";
import { type AskService, createRemoteRecogniser } from "./remote-recogniser.ts";
import { sendText } from "./send-text.ts";
import type { JobChannel, JobResult } from "./serve-jobs.ts";

/**
 * Bytes of a file → its text, in this very process; a long text is sent on in pieces while it is rendered.
 * @throws AppError what the reader throws; `OUTPUT_TOO_LARGE`; `PARSE_TIMEOUT` when time ran out before anything was read.
 */
export async function runJob(job: JobMessage, bytes: Uint8Array, service: JobChannel): Promise<JobResult> {
  const { ask } = service;
  const { jobId, options, limits } = job;
  const budget = new Budget(limits);
  const input = toInput(job, bytes, ask);
  const ocr = { when: options.ocr, languages: options.ocrLanguages };
  const recogniser = createPageRecogniser(createRemoteRecogniser(ask, jobId));
  const readOptions = { ...options.read, ocr, recogniser };
  if (options.explainPage !== undefined)
    return explainPage(options.explainPage, (explain) => readSource(input, { ...readOptions, explain }, budget));
  const { document: read, warnings } = await readSource(input, readOptions, budget);
  if (countBlocks(read.blocks) > limits.maxBlocks) {
    throw new AppError("LIMIT_EXCEEDED", {
      detail: `It has more than ${limits.maxBlocks} blocks (PARSER_MAX_BLOCKS).`,
    });
  }
  const document = normaliseDocument(read);
  const isEmpty = !hasText(document);
  if (isEmpty && budget.isTimeSpent) throw new AppError("PARSE_TIMEOUT");
  const text = sendText(renderPieces(document, options.render), limits.maxOutputBytes, service.sendText);
  return { ...text, isEmpty, warnings: boundWarnings(warnings) };
}

function toInput(job: JobMessage, bytes: Uint8Array, ask: AskService): ReaderInput {
  const { fileName, format, charset, fileBytes } = job;
  const named = { fileName, format, ...(charset !== undefined && { charset }) };
  if (fileBytes === undefined) return { ...named, bytes };
  const file = createRemoteFile(ask, job);
  return {
    ...named,
    file,
    get bytes() {
      return file.readAt(0, fileBytes);
    },
  };
}

// The picture takes the place of the text.
async function explainPage(page: number, read: (explain: ExplainOptions) => Promise<ReadResult>): Promise<JobResult> {
  const pictures: string[] = [];
  const { warnings } = await read({ page, report: (svg) => pictures.push(svg) });
  const [picture] = pictures;
  if (picture === undefined) {
    const detail = `Its page ${page} was not read: there is no such page, or it is not a file with pages that layout reads.`;
    throw new AppError("TEXT_NOT_FOUND", { detail });
  }
  const contentLength = countCodePoints(picture);
  return { content: Buffer.from(picture), contentLength, isEmpty: false, warnings: boundWarnings(warnings) };
}

function hasText({ blocks }: Document): boolean {
  for (const text of documentText(blocks)) if (/\S/.test(text)) return true;
  return false;
}

const maxWarnings = 200;
const maxWarningCharacters = 500;

/** Keeps `ParseResponse.message` and the pipe small, and says so. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const kept = warnings.slice(0, maxWarnings).map((warning) => warning.slice(0, maxWarningCharacters));
  const left = warnings.length - kept.length;
  return left > 0 ? [...kept, `${left} more warnings are left out.`] : kept;
}
