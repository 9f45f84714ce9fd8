import { AppError } from "@attune/service-kit/app-error.ts";
import { createProbe } from "../detection/create-probe.ts";
import { detectFormat, findFormat } from "../detection/detect-format.ts";
import type { Document } from "../document/document.ts";
import * as formatModules from "../formats.ts";
import type { Budget } from "../limits/budget.ts";
import type { Format } from "../readers/format.ts";
import type { PartInput, ReadContext, ReaderInput, ReadOptions } from "../readers/reader.ts";

const formats: readonly Format[] = Object.values(formatModules);

export interface ReadResult {
  readonly document: Document;
  readonly warnings: readonly string[];
}

/**
 * Reads a file with the reader of its format, and whatever files lie inside it.
 * @throws AppError whatever the reader threw; anything that is not an AppError becomes `DOCUMENT_CORRUPT`.
 */
export async function readSource(input: ReaderInput, options: ReadOptions, budget: Budget): Promise<ReadResult> {
  const warnings: string[] = [];
  const document = await readAtDepth(
    input,
    createContext({ options, budget, warnings, depth: 0, nesting: 0, within: "" }),
  );
  return { document, warnings };
}

/** No honest document has text in text in text further than this. */
const maxNesting = 32;

interface ContextParts {
  readonly options: ReadOptions;
  readonly budget: Budget;
  readonly warnings: string[];
  readonly depth: number;
  /** How many readers have called one another. */
  readonly nesting: number;
  /** Name of the nested file that speaks; empty for the file itself. */
  readonly within: string;
}

function createContext(parts: ContextParts): ReadContext {
  const { options, budget, warnings, depth, nesting, within } = parts;
  return {
    options,
    budget,
    depth,
    warn: (sentence) => {
      const told = within === "" ? sentence : `${within}: ${sentence}`;
      if (!warnings.includes(told)) warnings.push(told);
    },
    readPart: async (part) => {
      const inside = { ...parts, depth: part.isOwnText === true ? depth : depth + 1, nesting: nesting + 1 };
      if (nesting > maxNesting) throw new AppError("LIMIT_EXCEEDED", { detail: "It is nested without end." });
      budget.assertArchiveDepth(inside.depth);
      return readAtDepth(toReaderInput(part), createContext({ ...inside, within: part.fileName }));
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

async function readAtDepth(input: ReaderInput, context: ReadContext): Promise<Document> {
  const format = findFormat(input.format, formats);
  if (format?.load === undefined) throw new AppError("UNSUPPORTED_FILE_TYPE");
  const read = await format.load();
  try {
    return await read(input, context);
  } catch (error) {
    throw error instanceof AppError ? error : toReadError(error);
  }
}

// A reader that trips over damaged bytes says so; one that could not get memory is not a damaged file.
function toReadError(error: unknown): AppError {
  const isMemory = error instanceof RangeError && /allocation|array length|memory/i.test(error.message);
  return isMemory ? new AppError("MEMORY_EXCEEDED", {}, error) : new AppError("DOCUMENT_CORRUPT", {}, error);
}
