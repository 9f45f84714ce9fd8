import { AppError } from "@attune/service-kit/app-error.ts";
import { createProbe } from "../detection/create-probe.ts";
import { detectFormat, findFormat } from "../detection/detect-format.ts";
import type { Document, ImageContent } from "../document/document.ts";
import * as formatModules from "../formats.ts";
import type { Budget } from "../limits/budget.ts";
import type { PageRecogniser } from "../ocr/recogniser.ts";
import type { Format } from "../readers/format.ts";
import type { PartInput, ReadContext, ReaderInput, ReadOptions } from "../readers/reader.ts";
import { isOnlyPictures, readPictures, wantsPictures, withoutImageBytes } from "./read-pictures.ts";

const formats: readonly Format[] = Object.values(formatModules);

export interface ReadResult {
  readonly document: Document;
  readonly warnings: readonly string[];
}

/**
 * Reads a file with the reader of its format, and whatever files lie inside it.
 * @throws AppError whatever the reader threw; anything that is not an AppError becomes `DOCUMENT_CORRUPT`.
 */
export async function readSource(input: ReaderInput, request: ReadRequest, budget: Budget): Promise<ReadResult> {
  const { recogniser, ...options } = request;
  const read = await readWith(input, { options, recogniser, budget });
  const { ocr } = options;
  if (ocr?.when !== "auto" || recogniser === undefined || !isOnlyPictures(read.document, input.format)) return read;
  return readWith(input, { options: { ...options, ocr: { ...ocr, when: "always" } }, recogniser, budget });
}

async function readWith(
  input: ReaderInput,
  { options, recogniser, budget }: Pick<ContextParts, "options" | "recogniser" | "budget">,
): Promise<ReadResult> {
  const warnings: string[] = [];
  const hasBytesForOcr = options.images !== "data_uri" && wantsPictures(options, recogniser);
  const readOptions: ReadOptions = hasBytesForOcr ? { ...options, images: "data_uri" } : options;
  const shared = { options: readOptions, budget, warnings, settled: new WeakSet<ImageContent>(), recogniser };
  const document = await readAtDepth(input, { ...shared, depth: 0, nesting: 0, within: "", isOwnText: false });
  return { document: hasBytesForOcr ? withoutImageBytes(document) : document, warnings };
}

/** How to read, and by what means. */
interface ReadRequest extends ReadOptions {
  /** Without it no pictures of text are read. */
  readonly recogniser?: PageRecogniser;
}

/** No honest document has text in text in text further than this. */
const maxNesting = 32;

interface ContextParts {
  readonly options: ReadOptions;
  readonly budget: Budget;
  readonly recogniser: PageRecogniser | undefined;
  readonly warnings: string[];
  readonly settled: WeakSet<ImageContent>;
  readonly depth: number;
  /** How many readers have called one another. */
  readonly nesting: number;
  /** Name of the nested file that speaks; empty for the file itself. */
  readonly within: string;
  /** It is text of the file around it, which sees to its pictures. */
  readonly isOwnText: boolean;
}

function createContext(parts: ContextParts): ReadContext {
  const { options, budget, recogniser, warnings, depth, nesting, within } = parts;
  return {
    options,
    budget,
    ...(recogniser !== undefined && { recogniser }),
    depth,
    warn: (sentence) => {
      const told = within === "" ? sentence : `${within}: ${sentence}`;
      if (!warnings.includes(told)) warnings.push(told);
    },
    readPart: async (part) => {
      const isOwnText = part.isOwnText === true;
      const inside = { ...parts, depth: isOwnText ? depth : depth + 1, nesting: nesting + 1, isOwnText };
      if (nesting > maxNesting) throw new AppError("LIMIT_EXCEEDED", { detail: "It is nested without end." });
      budget.assertArchiveDepth(inside.depth);
      return readAtDepth(toReaderInput(part), { ...inside, within: part.fileName });
    },
  };
}

function toReaderInput({ bytes, fileName, format, mediaType, charset }: PartInput): ReaderInput {
  const known = format ?? detectPart({ bytes, fileName, ...(mediaType !== undefined && { mediaType }) });
  return { bytes, fileName, format: known, ...(charset !== undefined && { charset }) };
}

function detectPart({ bytes, fileName, mediaType }: PartInput): string {
  const hints = { fileName, ...(mediaType !== undefined && { mediaType }) };
  const detection = detectFormat(createProbe(bytes), hints, formats);
  if (detection === undefined) throw new AppError("UNSUPPORTED_FILE_TYPE");
  return detection.format.name;
}

async function readAtDepth(input: ReaderInput, parts: ContextParts): Promise<Document> {
  const format = findFormat(input.format, formats);
  if (format?.load === undefined)
    throw new AppError("UNSUPPORTED_FILE_TYPE", format?.remedy === undefined ? {} : { detail: format.remedy });
  const read = await format.load();
  const context = createContext(parts);
  try {
    const document = await read(input, context);
    if (parts.isOwnText) return document;
    return await readPictures(document, { format: input.format, context, settled: parts.settled });
  } catch (error) {
    throw error instanceof AppError ? error : toReadError(error);
  }
}

// A reader that trips over damaged bytes says so; one that could not get memory is not a damaged file.
function toReadError(error: unknown): AppError {
  const isMemory = error instanceof RangeError && /allocation|array length|memory/i.test(error.message);
  return isMemory ? new AppError("MEMORY_EXCEEDED", {}, error) : new AppError("DOCUMENT_CORRUPT", {}, error);
}
