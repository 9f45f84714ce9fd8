import { type Example, messagesOf } from "./example.ts";

/** A class of a histogram: rows with `from` ≤ characters < `to`. */
export interface LengthClass {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface DatasetStatistics {
  /** Training examples: rows that are valid. */
  readonly recordCount: number;
  /** Characters (UTF-16 units) of all messages or texts. */
  readonly characters: number;
  /** Messages other than system ones. */
  readonly turns: number;
  readonly characterRange: { readonly min: number; readonly max: number; readonly mean: number };
  /** Classes that double: 0–15, 16–31, 32–63 … */
  readonly lengths: readonly LengthClass[];
  /** How many examples have how many turns; the last class is "32 and more". */
  readonly turnCounts: readonly { readonly turns: number; readonly count: number }[];
  /** Of KTO data. */
  readonly labels: { readonly true: number; readonly false: number } | undefined;
}

export interface StatisticsCollector {
  add(example: Example): void;
  finish(): DatasetStatistics;
}

const firstClassEnd = 16;
const mostTurns = 32;

/** Collects statistics of examples in constant memory. */
export function createStatistics(): StatisticsCollector {
  const lengths: (number | undefined)[] = [];
  const turnCounts: (number | undefined)[] = [];
  const labels = { true: 0, false: 0 };
  let [recordCount, characters, turns, min, max] = [0, 0, 0, Infinity, 0];
  return {
    add(example) {
      const size = charactersOf(example);
      const turnCount = turnsOf(example);
      const index = size < firstClassEnd ? 0 : Math.floor(Math.log2(size / firstClassEnd)) + 1;
      lengths[index] = (lengths[index] ?? 0) + 1;
      const capped = Math.min(turnCount, mostTurns);
      turnCounts[capped] = (turnCounts[capped] ?? 0) + 1;
      if (example.kind === "kto") labels[`${example.label}`]++;
      recordCount++;
      characters += size;
      turns += turnCount;
      [min, max] = [Math.min(min, size), Math.max(max, size)];
    },
    finish: () => ({
      recordCount,
      characters,
      turns,
      characterRange: { min: recordCount === 0 ? 0 : min, max, mean: recordCount === 0 ? 0 : characters / recordCount },
      lengths: Array.from(lengths, (count = 0, index) => ({ ...classOf(index), count })),
      turnCounts: Array.from(turnCounts, (count = 0, index) => ({ turns: index, count })).filter(
        ({ count }) => count > 0,
      ),
      labels: labels.true + labels.false > 0 ? labels : undefined,
    }),
  };
}

const classOf = (index: number): { from: number; to: number } => ({
  from: index === 0 ? 0 : firstClassEnd * 2 ** (index - 1),
  to: firstClassEnd * 2 ** index,
});

export function charactersOf(example: Example): number {
  if (example.kind === "cpt") return example.text.length;
  return messagesOf(example).reduce((sum, { content, toolCalls }) => sum + content.length + callLength(toolCalls), 0);
}

export function turnsOf(example: Example): number {
  return messagesOf(example).filter(({ role }) => role !== "system").length;
}

const callLength = (calls: readonly { arguments: string }[] = []): number =>
  calls.reduce((sum, call) => sum + call.arguments.length, 0);
