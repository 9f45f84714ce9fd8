import { AppError } from "@attune/service-kit/app-error.ts";
import type { RequestOverrides } from "../overrides/read-overrides.ts";
import type { EngineRegistry, RegisteredEngine } from "./engine-registry.ts";
import type { ParseCall } from "./parse-call.ts";

export interface ChooseRequest {
  readonly call: ParseCall;
  readonly format: string;
  /** What to do with a file of this format where no engine reads it. */
  readonly remedy?: string | undefined;
  readonly overrides: RequestOverrides;
  readonly engines: EngineRegistry;
}

export interface EngineChoice {
  readonly entry: RegisteredEngine;
  /** Says when another engine stands in for the one named. */
  readonly warnings: readonly string[];
}

/**
 * The engine that parses: the one named, or the first in order of preference that reads the format and is available.
 * @throws AppError `ENGINE_UNSUITABLE`, `ENGINE_UNAVAILABLE`, `UNSUPPORTED_FILE_TYPE`.
 */
export async function chooseEngine(request: ChooseRequest, signal: AbortSignal): Promise<EngineChoice> {
  const { call } = request;
  const isAuto = call.parserEngine === "" || call.parserEngine === "auto";
  return isAuto ? chooseBest(request, signal) : chooseNamed(request, signal);
}

async function chooseNamed(request: ChooseRequest, signal: AbortSignal): Promise<EngineChoice> {
  const { call, format, overrides, engines } = request;
  const entry = engines.find(call.parserEngine);
  if (entry === undefined) throw new AppError("ENGINE_UNKNOWN");
  const refusal = await refusalOf(entry, request, signal);
  if (refusal === undefined) return { entry, warnings: [] };
  if (overrides.options.fallback === "none") throw refusal;
  const choice = await chooseBest({ ...request, call: { ...call, parserEngine: "" } }, signal);
  const why = refusal.details.detail ?? `it does not read ${format}`;
  return { ...choice, warnings: [`${choice.entry.definition.name} was used instead of ${call.parserEngine}: ${why}`] };
}

/** The best engine for the format among those not in `excluded`. */
export async function chooseBest(
  request: ChooseRequest,
  signal: AbortSignal,
  excluded: readonly string[] = [],
): Promise<EngineChoice> {
  const ranked = request.engines.engines.filter(({ definition }) => definition.rank !== undefined);
  const readers = ranked.filter(({ definition }) => definition.formats.includes(request.format));
  const refusals: string[] = [];
  for (const entry of readers.filter(({ definition }) => !excluded.includes(definition.name))) {
    const refusal = await refusalOf(entry, request, signal);
    if (refusal === undefined) return { entry, warnings: [] };
    refusals.push(`${entry.definition.name}: ${refusal.details.detail ?? ""}`);
  }
  const remedy = request.remedy === undefined ? "" : ` ${request.remedy}`;
  if (refusals.length === 0)
    throw new AppError("UNSUPPORTED_FILE_TYPE", { detail: `The file is ${request.format}.${remedy}` });
  throw new AppError("ENGINE_UNAVAILABLE", {
    detail: `For ${request.format} it takes one of these. ${refusals.join(" ")}${remedy}`,
  });
}

async function refusalOf(
  entry: RegisteredEngine,
  { format, overrides, engines }: ChooseRequest,
  signal: AbortSignal,
): Promise<AppError | undefined> {
  const { name, formats } = entry.definition;
  if (!formats.includes(format)) {
    return new AppError("ENGINE_UNSUITABLE", { detail: `${name} does not read ${format}.` });
  }
  const availability = await engines.probe(entry, overrides.byEngine.get(name) ?? {}, signal);
  return availability.isAvailable ? undefined : new AppError("ENGINE_UNAVAILABLE", { detail: availability.reason });
}
