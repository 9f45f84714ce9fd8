/** What one reader made of one file; undefined where it read nothing, or where the truth has no table. */
export interface Score {
  readonly set: string;
  readonly file: string;
  readonly reader: string;
  readonly blocks: number | undefined;
  readonly cells: number | undefined;
}

/** The scores as a Markdown page: means of each set, and each file when asked for. */
export function writeReport(scores: readonly Score[], withFiles: boolean): string {
  const readers = unique(scores.map(({ reader }) => reader));
  const sets = unique(scores.map(({ set }) => set));
  return [
    "# Office documents: likeness to the true structure",
    "",
    "Blocks: likeness of the sequences of blocks (kind and words), 0 to 1. Cells: F1 of table cells at their place.",
    "A file that a reader cannot read counts as 0. Truth: pandoc's own test natives, and Docling's own outputs, which are a",
    "yardstick and not truth. Everyone's Markdown or HTML is read by the same readers, ours included; `docparser (model)` is",
    "the document before it is written as Markdown.",
    "",
    "Written by `node bench/quality/pandoc-native.ts --report docs/benchmarks/office.md`.",
    "",
    `| Set | Files | ${readers.map((reader) => `${reader} blocks | cells`).join(" | ")} |`,
    `| --- | --- | ${readers.map(() => "--- | ---").join(" | ")} |`,
    ...sets.map((set) => meansOf(set, scores, readers)),
    ...(withFiles ? ["", ...filesOf(scores, readers)] : []),
    "",
  ].join("\n");
}

function meansOf(set: string, scores: readonly Score[], readers: readonly string[]): string {
  const mine = scores.filter((score) => score.set === set);
  const files = unique(mine.map(({ file }) => file)).length;
  const columns = readers.map((reader) => {
    const own = mine.filter((score) => score.reader === reader);
    const reads = own.some(({ blocks }) => blocks !== undefined);
    const cells = own.flatMap((score) => (score.cells === undefined ? [] : [score.cells]));
    return reads ? `${mean(own.map(({ blocks }) => blocks ?? 0))} | ${mean(cells)}` : "– | –";
  });
  return `| ${set} | ${files} | ${columns.join(" | ")} |`;
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
