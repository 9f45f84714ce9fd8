import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import type { EngineRequest, ParsedText, Source } from "../engines/engine.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";
import type { RequestOverrides } from "../overrides/read-overrides.ts";
import { chooseBest, type EngineChoice } from "./choose-engine.ts";
import type { EngineRegistry } from "./engine-registry.ts";
import type { ParseRecord } from "./parse-record.ts";

export interface RunEngine {
  readonly choice: EngineChoice;
  readonly request: { readonly source: Source; readonly options: ParseOptions; readonly overrides: RequestOverrides };
  readonly engines: EngineRegistry;
  readonly record: ParseRecord;
}

// Failures of the engine, not of the document: another engine may do better.
const engineFailures: ReadonlySet<Reason> = new Set(["ENGINE_FAILED", "ENGINE_UNAVAILABLE", "PARSER_CRASHED"]);

/** Parses with the engine chosen and, where the caller allows it, with the next best when that engine fails. */
export async function runEngine(run: RunEngine, signal: AbortSignal): Promise<ParsedText> {
  const { choice, request, record } = run;
  record.engine = choice.entry.definition.name;
  try {
    return await parseWith(choice, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    const isEngineFailure = error instanceof AppError && engineFailures.has(error.reason);
    if (request.options.fallback === "none" || !isEngineFailure) throw error;
    return parseWithNext(run, error, signal);
  }
}

async function parseWithNext(run: RunEngine, failure: AppError, signal: AbortSignal): Promise<ParsedText> {
  const { choice, request, record } = run;
  const failed = choice.entry.definition.name;
  const next = await nextBest(run, failure, signal);
  record.engine = next.entry.definition.name;
  const parsed = await parseWith(next, request, signal);
  const warning = `${record.engine} was used because ${failed} failed: ${failure.details.detail ?? failure.entry.sentence}`;
  return { ...parsed, warnings: [warning, ...parsed.warnings] };
}

// When there is no other engine, the first failure is what the caller must know.
async function nextBest(
  { choice, request, engines }: RunEngine,
  failure: AppError,
  signal: AbortSignal,
): Promise<EngineChoice> {
  const call = { fileUrl: "", fileName: "", fileType: "", parserEngine: "", engineOverrides: {} };
  const wanted = { call, format: request.source.format, overrides: request.overrides, engines };
  try {
    return await chooseBest(wanted, signal, [choice.entry.definition.name]);
  } catch {
    throw failure;
  }
}

function parseWith({ entry }: EngineChoice, request: RunEngine["request"], signal: AbortSignal): Promise<ParsedText> {
  const { source, options, overrides } = request;
  const values = overrides.byEngine.get(entry.definition.name) ?? {};
  const engineRequest: EngineRequest = { source, options, values };
  return entry.engine.parse(engineRequest, signal);
}
