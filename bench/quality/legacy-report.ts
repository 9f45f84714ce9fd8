import type { Overlap } from "./silent-loss-tokens.ts";

export interface FileScore {
  readonly file: string;
  /** Why we read nothing. */
  readonly failure: string | undefined;
  readonly cpuMs: number;
  /** Words of ours, and of the conversion. */
  readonly ours?: number | undefined;
  readonly witness?: number | undefined;
  /** What the conversion has and how much of it we have too. */
  readonly words?: Overlap;
  /** What we have and how much of it the conversion has too. */
  readonly extra?: Overlap;
  readonly headings?: Overlap;
  readonly cells?: Overlap;
  readonly items?: Overlap;
}

const lowRecall = 0.9;

/** A report in Markdown; `hasAllFiles` lists every file, not only those to look at. */
export function writeLegacyReport(format: string, scores: readonly FileScore[], hasAllFiles: boolean): string {
  const witnessed = scores.filter(({ witness = 0 }) => witness > 0);
  const nonEmpty = witnessed.filter(({ ours = 0 }) => ours > 0);
  const low = witnessed.filter(({ words }) => recallOf(words) < lowRecall);
  const times = scores.map(({ cpuMs }) => cpuMs).toSorted((one, other) => one - other);
  const lines = [
    `# Old Office files: ${format} beside LibreOffice`,
    "",
    "What our readers make of the files, beside what they make of the same files converted by LibreOffice. Neither is the truth:",
    "a word or a cell that only one of them has is a place to look at. Words, headings with their level, cells with their spans",
    "and items of lists with their kind are compared as bags.",
    "",
    `Written by \`node bench/quality/legacy.ts ${format} --files --report docs/benchmarks/legacy-${format}.md\`.`,
    "",
    `${scores.length} ${format} files; LibreOffice gets text from ${witnessed.length}, and of those we get text from ${nonEmpty.length} (${percent(nonEmpty.length / witnessed.length)}).`,
    `Recall of its words: mean ${mean(witnessed.map(({ words }) => recallOf(words)))}, below ${lowRecall} in ${low.length} files; its words among ours: mean ${mean(witnessed.map(({ extra }) => recallOf(extra)))}.`,
    `Headings with their level ${sum(scores, "headings")}, cells with their spans ${sum(scores, "cells")}, items with their kind ${sum(scores, "items")}.`,
    `CPU: median ${(times[times.length >> 1] ?? 0).toFixed(1)} ms a file, ${times.reduce((total, time) => total + time, 0).toFixed(0)} ms for all.`,
    "",
    "| file | words | recall | ours also there | headings | cells | items | CPU ms | |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --- |",
    ...scores.filter((score) => hasAllFiles || isOdd(score)).map(rowOf),
  ];
  return `${lines.join("\n")}\n`;
}

function isOdd({ failure, words, extra, headings, cells, items }: FileScore): boolean {
  return (
    failure !== undefined || [words, extra, headings, cells, items].some((overlap) => recallOf(overlap) < lowRecall)
  );
}

function rowOf({ file, failure, ours, witness, words, extra, headings, cells, items, cpuMs }: FileScore): string {
  const missing = [words, headings, cells, items].flatMap((overlap) => overlap?.missing.slice(0, 3) ?? []);
  const remark = failure ?? missing.map((text) => text.slice(0, 40).replaceAll("|", "\\|")).join("; ");
  const counts = [headings, cells, items].map((overlap) => fraction(overlap));
  return `| ${[file, `${ours ?? "–"} / ${witness ?? "–"}`, recallOf(words).toFixed(3), recallOf(extra).toFixed(3), ...counts, cpuMs.toFixed(1), remark].join(" | ")} |`;
}

function recallOf(overlap: Overlap | undefined): number {
  return overlap === undefined || overlap.total === 0 ? 1 : overlap.found / overlap.total;
}

function fraction(overlap: Overlap | undefined): string {
  return overlap === undefined || overlap.total === 0 ? "" : `${overlap.found}/${overlap.total}`;
}

function sum(scores: readonly FileScore[], feature: "headings" | "cells" | "items"): string {
  const found = scores.reduce((total, score) => total + (score[feature]?.found ?? 0), 0);
  const total = scores.reduce((all, score) => all + (score[feature]?.total ?? 0), 0);
  return `${found} of ${total}`;
}

function mean(values: readonly number[]): string {
  return (values.reduce((total, value) => total + value, 0) / Math.max(1, values.length)).toFixed(3);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
