import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import type { EngineDefinition, EngineRequest, ParsedText, Source } from "../engines/engine.ts";
import { ParseClock } from "../engines/parse-clock.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";
import type { RequestOverrides } from "../overrides/read-overrides.ts";
import type { ReadingKey } from "../overrides/reading-keys.ts";
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
const engineFailures: ReadonlySet<Reason> = new Set([
  "ENGINE_FAILED",
  "ENGINE_UNAVAILABLE",
  "OCR_UNAVAILABLE",
  "PARSER_CRASHED",
]);

/**
 * Parses with the engine chosen and, where the caller allows it, with the next best when that engine fails; both in the time of
 * one request.
 */
export async function runEngine(run: RunEngine, signal: AbortSignal): Promise<ParsedText> {
  return runTimed({ ...run, clock: new ParseClock() }, signal);
}

interface TimedRun extends RunEngine {
  readonly clock: ParseClock;
}

async function runTimed(run: TimedRun, signal: AbortSignal): Promise<ParsedText> {
  const { choice, request, record } = run;
  record.engine = choice.entry.definition.name;
  try {
    return await parseWith(choice, run, signal);
  } catch (error) {
    signal.throwIfAborted();
    const isEngineFailure = error instanceof AppError && engineFailures.has(error.reason);
    if (request.options.fallback === "none" || !isEngineFailure) throw error;
    return parseWithNext(run, error, signal);
  }
}

async function parseWithNext(run: TimedRun, failure: AppError, signal: AbortSignal): Promise<ParsedText> {
  const { choice, record } = run;
  const failed = choice.entry.definition.name;
  const next = await nextBest(run, failure, signal);
  record.engine = next.entry.definition.name;
  record.cause = failure;
  const parsed = await parseWith(next, run, signal);
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

async function parseWith({ entry }: EngineChoice, run: TimedRun, signal: AbortSignal): Promise<ParsedText> {
  const { request, clock } = run;
  const { source, options, overrides } = request;
  const { definition, engine } = entry;
  const values = overrides.byEngine.get(definition.name) ?? {};
  const engineRequest: EngineRequest = { source, options, values, clock };
  const parsed = await engine.parse(engineRequest, signal);
  const ignored = overrides.readingKeys.filter((key) => !isHonoured(key, definition, source.format));
  const warnings = ignored.map((key) => `${definition.name} ignores the override ${key}.`);
  return { ...parsed, warnings: [...warnings, ...parsed.warnings] };
}

function isHonoured(key: ReadingKey, { honours }: EngineDefinition, format: string): boolean {
  const where = honours[key];
  return where === true || where?.includes(format) === true;
}
