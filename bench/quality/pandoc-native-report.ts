/** What one reader made of one file; undefined where it read nothing, or where the truth has no table. */
export interface Score {
  readonly set: string;
  readonly file: string;
  readonly reader: string;
  readonly blocks: number | undefined;
  readonly cells: number | undefined;
  /** Likeness of the whole Markdown, where the truth is Markdown. */
  readonly words: number | undefined;
}

/** The scores as a Markdown page: means of each set, and each file when asked for. */
export function writeReport(scores: readonly Score[], withFiles: boolean): string {
  const readers = unique(scores.map(({ reader }) => reader));
  const sets = unique(scores.map(({ set }) => set));
  return [
    "# Office documents: likeness to the true structure",
    "",
    "Blocks: likeness of the sequences of blocks (kind and words), 0 to 1. Cells: F1 of table cells at their place. Words:",
    "likeness of the whole Markdown, word by word, where the truth is Markdown.",
    "A cell that spans counts once where the truth can say so (pandoc's), and once or at each of its places, whichever is nearer,",
    "where it cannot (Docling's Markdown repeats the cell). Quotes and dashes, and spaces before marks, are compared as ASCII",
    "writes them, because Docling's own do not keep them: for everyone alike.",
    "A file that a reader cannot read counts as 0. Truth: pandoc's own test natives, and Docling's own outputs, which are a",
    "yardstick and not truth. Everyone's Markdown or HTML is read by the same readers, ours included; `docparser (model)` is",
    "the document before it is written as Markdown. † Docling beside Docling's own outputs, made by a version near this one, is",
    "its likeness to itself and no measure.",
    "",
    "Written by `node bench/quality/pandoc-native.ts --report docs/benchmarks/office.md`.",
    "",
    `| Set | Files | Measure | ${readers.join(" | ")} |`,
    `| --- | --- | --- | ${readers.map(() => "---").join(" | ")} |`,
    ...sets.flatMap((set) => rowsOf(set, scores, readers)),
    ...(withFiles ? ["", ...filesOf(scores, readers)] : []),
    "",
  ].join("\n");
}

const measures = ["blocks", "cells", "words"] as const;

function rowsOf(set: string, scores: readonly Score[], readers: readonly string[]): string[] {
  const mine = scores.filter((score) => score.set === set);
  return measures.flatMap((measure) => {
    const files = unique(mine.filter((score) => score[measure] !== undefined).map(({ file }) => file));
    const means = readers.map((reader) => {
      const own = mine.filter((score) => score.reader === reader && files.includes(score.file));
      return meanOf(own, measure) + (reader.startsWith("Docling ") && set.startsWith("docling ") ? " †" : "");
    });
    return files.length === 0 ? [] : [`| ${set} | ${files.length} | ${measure} | ${means.join(" | ")} |`];
  });
}

// A reader that reads no file of a set does not know the format; one that fails on some has 0 there.
function meanOf(scores: readonly Score[], measure: (typeof measures)[number]): string {
  if (scores.every(({ blocks }) => blocks === undefined)) return "–";
  return mean(scores.map((score) => score[measure] ?? 0));
}

function filesOf(scores: readonly Score[], readers: readonly string[]): string[] {
  const files = unique(scores.map(({ set, file }) => `${set}\t${file}`));
  return [
    `| File | ${readers.join(" | ")} |`,
    `| --- | ${readers.map(() => "---").join(" | ")} |`,
    ...files.map((key) => {
      const [set, file] = key.split("\t");
      const own = readers.map((reader) =>
        scores.find((one) => one.set === set && one.file === file && one.reader === reader),
      );
      return `| ${file} | ${own.map((score) => `${show(score?.blocks)} ${show(score?.cells)}`).join(" | ")} |`;
    }),
  ];
}

function show(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(3);
}

function mean(values: readonly number[]): string {
  return values.length === 0 ? "–" : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
