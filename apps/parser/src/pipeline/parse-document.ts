import { AppError } from "@attune/service-kit/app-error.ts";
import type { Source } from "../engines/engine.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { checkText } from "./check-text.ts";
import { chooseEngine } from "./choose-engine.ts";
import { type DetectedType, detectType } from "./detect-type.ts";
import type { EngineRegistry } from "./engine-registry.ts";
import type { FetchFile } from "./fetch-file.ts";
import type { Format } from "../readers/format.ts";
import { judgeAddresses, type JudgeUrl } from "./judge-addresses.ts";
import type { ParseCall, ParseOutcome } from "./parse-call.ts";
import type { ParseRecord } from "./parse-record.ts";
import { runEngine } from "./run-engine.ts";

export interface ParseDocumentDeps {
  readonly fetchFile: FetchFile;
  readonly judgeUrl: JudgeUrl;
  readonly formats: readonly Format[];
  readonly engines: EngineRegistry;
}

/** Parses one document; `record` is filled on the way with what the log and the metrics want to know. */
export type ParseDocument = (call: ParseCall, record: ParseRecord, signal: AbortSignal) => Promise<ParseOutcome>;

/**
 * The way of a document: fetch → detect → choose → parse → check. Rendering happens with the parse, in the isolated worker.
 * The returned function throws only errors whose reason has the scope `call`; every other failure is an outcome.
 */
export function createParseDocument(deps: ParseDocumentDeps): ParseDocument {
  return async (call, record, signal) => {
    try {
      return await parse(deps, { call, record, signal });
    } catch (error) {
      signal.throwIfAborted();
      return toFailure(error, record);
    }
  };
}

interface Way {
  readonly call: ParseCall;
  readonly record: ParseRecord;
  readonly signal: AbortSignal;
}

async function parse(deps: ParseDocumentDeps, { call, record, signal }: Way): Promise<ParseOutcome> {
  const overrides = readOverrides(call.engineOverrides, deps.engines.overrides);
  deps.engines.assertKnown(call.parserEngine);
  await judgeAddresses(overrides.addresses, deps.judgeUrl, signal);
  await using file = await record.time("fetch", () => deps.fetchFile(call.fileUrl, signal));
  record.fileBytes = file.sizeBytes;
  const detected = await record.time("detect", () => detectType(file, call, deps.formats));
  record.fileType = detected.format.name;
  const source = toSource(file, detected);
  const choice = await chooseEngine(
    { call, format: detected.format.name, remedy: detected.format.remedy, overrides, engines: deps.engines },
    signal,
  );
  const request = { source, options: overrides.options, overrides };
  const parsed = await record.time("parse", () =>
    runEngine({ choice, request, engines: deps.engines, record }, signal),
  );
  const warnings = [...detected.warnings, ...choice.warnings, ...parsed.warnings];
  return checkText({ ...parsed, warnings }, { fileType: detected.format.name, parserEngine: record.engine });
}

function toSource(file: Awaited<ReturnType<FetchFile>>, detected: DetectedType): Source {
  return {
    sizeBytes: file.sizeBytes,
    fileName: detected.fileName,
    format: detected.format.name,
    ...(file.charset !== undefined && { charset: file.charset }),
    readBytes: () => file.readBytes(),
    readChunks: () => file.readChunks(),
    openForAccess: () => file.openForAccess(),
    toPath: () => file.toPath(),
  };
}

function toFailure(error: unknown, record: ParseRecord): ParseOutcome {
  const known =
    error instanceof AppError ? error : new AppError("INTERNAL", { detail: `Its id is ${record.requestId}.` }, error);
  if (known.entry.scope === "call") throw known;
  record.fail(known);
  return { success: false, message: known.message, fileType: record.fileType, parserEngine: record.engine };
}
