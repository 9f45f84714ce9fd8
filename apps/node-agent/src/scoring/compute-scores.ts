import type { MetricName } from "@attune/contracts/compute/eval-results.ts";
import { MetricError } from "@attune/metrics/metric-error.ts";
import { requireSamples, type Sample } from "@attune/metrics/samples.ts";
import { scorers } from "./scorers.ts";
import { isInIdeographs } from "./is-in-ideographs.ts";

export interface Scores {
  /** Of the whole set; null where the metric could not be computed. */
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly errors: Readonly<Record<string, string>>;
  /** What two scores must have in common to be compared. */
  readonly settings: Readonly<Record<string, string>>;
  /** In the order of the samples. */
  readonly perSample: readonly Readonly<Record<string, number | null>>[];
}

/**
 * Scores a test set by each metric. Where one sample cannot be scored, the metric of the set is null: a mean over the others
 * would be that of another set. @throws MetricError no_samples
 */
export function computeScores(names: readonly MetricName[], samples: readonly Sample[]): Scores {
  requireSamples(samples);
  const references = samples.flatMap((sample) => sample.references);
  const language = isInIdeographs(references) ? "cjk" : "spaced";
  const columns = new Map(names.map((name) => [name, scoreBy(name, samples, language)]));
  const collect = <TValue>(pick: (column: Column) => TValue | undefined): Record<string, TValue> =>
    Object.fromEntries([...columns].flatMap(([name, column]) => pairOf(name, pick(column))));
  return {
    metrics: collect(({ whole }) => whole),
    errors: collect(({ error }) => error),
    settings: collect(({ setting }) => setting),
    perSample: samples.map((_, index) => collect(({ each }) => each[index] ?? null)),
  };
}

interface Column {
  readonly whole: number | null;
  readonly each: readonly (number | null)[];
  readonly setting: string;
  readonly error: string | undefined;
}

const pairOf = <TValue>(name: string, value: TValue | undefined): [string, TValue][] =>
  value === undefined ? [] : [[name, value]];

function scoreBy(name: MetricName, samples: readonly Sample[], language: "cjk" | "spaced"): Column {
  const { setting, scoreOne, scoreAll } = scorers(name, samples, language);
  let error: string | undefined;
  const each = samples.map((sample, index) => {
    const outcome = attempt(() => scoreOne(sample));
    if (typeof outcome !== "string") return outcome;
    error ??= `Record ${index}: ${outcome}`;
    return null;
  });
  if (error !== undefined) return { whole: null, each, setting, error };
  const whole = attempt(() => scoreAll(each as readonly number[]));
  return typeof whole === "string" ? { whole: null, each, setting, error: whole } : { whole, each, setting, error };
}

/** The score, or why there is none. */
function attempt(score: () => number): number | string {
  try {
    return score();
  } catch (error) {
    if (error instanceof MetricError) return error.message;
    throw error;
  }
}
