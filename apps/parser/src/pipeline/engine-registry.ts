import { AppError } from "@attune/service-kit/app-error.ts";
import type { Availability, EngineDefinition, EngineValues, ParseEngine } from "../engines/engine.ts";
import type { EngineOverrides } from "../overrides/read-overrides.ts";

export interface RegisteredEngine {
  readonly definition: EngineDefinition;
  readonly engine: ParseEngine;
}

export interface EngineRegistry {
  /** In order of preference: those with a rank by rank, then the others by name. */
  readonly engines: readonly RegisteredEngine[];
  readonly overrides: EngineOverrides;
  find(name: string): RegisteredEngine | undefined;
  /** @throws AppError `ENGINE_UNKNOWN` with the list of names, unless `name` is empty or `auto`. */
  assertKnown(name: string): void;
  /** Whether the engine can work with these values; answers within two seconds, from a memory of a few seconds. */
  probe(entry: RegisteredEngine, values: EngineValues, signal: AbortSignal): Promise<Availability>;
}

const probeTimeoutMs = 2000;
const memoryMs = 5000;

export function createEngineRegistry(registered: readonly RegisteredEngine[]): EngineRegistry {
  const engines = [...registered].sort(byPreference);
  const memory = createProbeMemory();
  return {
    engines,
    overrides: new Map(engines.map(({ definition }) => [definition.name, definition.overrides])),
    find: (name) => engines.find(({ definition }) => definition.name === name),
    assertKnown: (name) => {
      if (name === "" || name === "auto" || engines.some(({ definition }) => definition.name === name)) return;
      const known = engines.map(({ definition }) => definition.name).join(", ");
      throw new AppError("ENGINE_UNKNOWN", { detail: `It was \`${name.slice(0, 64)}\`; there are: ${known}.` });
    },
    probe: (entry, values, signal) =>
      isDefault(entry.definition, values)
        ? untilAborted(memory.recall(entry, values), signal)
        : probeBounded(entry.engine, values, signal),
  };
}

function byPreference(a: RegisteredEngine, b: RegisteredEngine): number {
  const rankOf = ({ definition }: RegisteredEngine): number => definition.rank ?? Number.POSITIVE_INFINITY;
  return Math.sign(rankOf(a) - rankOf(b)) || a.definition.name.localeCompare(b.definition.name);
}

interface ProbeMemory {
  recall(entry: RegisteredEngine, values: EngineValues): Promise<Availability>;
}

/**
 * Only the answer for the operator's own settings is remembered: values of one caller say nothing to another. The question
 * belongs to all who wait for it, so none of them can take it back.
 */
function createProbeMemory(): ProbeMemory {
  const remembered = new Map<string, { readonly answer: Promise<Availability>; readonly untilMs: number }>();
  return {
    recall: ({ definition: { name }, engine }, values) => {
      const known = remembered.get(name);
      if (known !== undefined && known.untilMs > performance.now()) return known.answer;
      const answer = probeBounded(engine, values);
      remembered.set(name, { answer, untilMs: performance.now() + memoryMs });
      answer.catch(() => remembered.delete(name));
      return answer;
    },
  };
}

/** The answer, or the abort reason of the one who asks, whichever comes first. */
async function untilAborted<TAnswer>(answer: Promise<TAnswer>, signal: AbortSignal): Promise<TAnswer> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

function isDefault({ overrides }: EngineDefinition, values: EngineValues): boolean {
  return Object.entries(overrides).every(([key, { fallback }]) => Object.is(values[key], fallback));
}

async function probeBounded(engine: ParseEngine, values: EngineValues, signal?: AbortSignal): Promise<Availability> {
  const timeout = AbortSignal.timeout(probeTimeoutMs);
  const late = new Promise<Availability>((resolve) => {
    const answer = {
      isAvailable: false,
      reason: `It did not answer within ${probeTimeoutMs} ms; check that it is running.`,
    } as const;
    timeout.addEventListener("abort", () => resolve(answer), { once: true });
  });
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const answer = Promise.race([engine.probe(values, either), late]);
  return signal === undefined ? answer : untilAborted(answer, signal);
}

/** The values of an engine's overrides when the caller gives none. */
export function defaultValues({ overrides }: EngineDefinition): EngineValues {
  return Object.fromEntries(Object.entries(overrides).map(([key, { fallback }]) => [key, fallback]));
}
