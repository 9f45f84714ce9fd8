/**
 * Scores the tables that the PDF reader finds against those of the same document in a format that tells its tables: for every
 * NAME.pdf of a folder, NAME.xml (JATS), or NAME with the ending of an office format.
 *
 *     node bench/quality/pdf-tables.ts [FOLDER] [--half 0|1] [--list]
 *
 *   TEDS, TEDS-S   tree edit distance similarity, with and without the text of cells, mean over the true tables
 *   P, R, F1       pairs of neighbouring cells, over all tables; tables found where there are none count against P
 *   found          true tables of which a table that shares most words was found; spurious: tables found that are none
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countOf, type Grid, gridOf, relations, shared, teds } from "./pdf-tables-score.ts";
import { tablesOf, tablesOfFile } from "./pdf-tables-truth.ts";

const root = join(import.meta.dirname, "../../../shared");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" }, list: { type: "boolean", default: false } },
});
const folder = positionals[0] ?? join(root, "corpus/pmc");
if (!existsSync(folder)) {
  console.error(`Nothing measured: ${folder} is not there.`);
  process.exit(2);
}

const endings = ["xml", "docx", "odt", "xlsx", "ods", "doc", "rtf", "pptx"];
const total = { truth: 0, found: 0, spurious: 0, teds: 0, structure: 0, wanted: 0, made: 0, right: 0 };
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".pdf"))
  .map((file) => file.slice(0, -4))
  .sort()
  .filter((_, index) => values.half === undefined || index % 2 === Number(values.half));
for (const name of names) {
  const truthFile = endings.map((ending) => join(folder, `${name}.${ending}`)).find((path) => existsSync(path));
  if (truthFile === undefined) continue;
  scoreDocument(name, await tablesOfFile(truthFile), (await tablesOf(join(folder, `${name}.pdf`))).map(gridOf));
}
const precision = total.right / total.made;
const recall = total.right / total.wanted;
const mean = (sum: number): string => (sum / total.truth).toFixed(3);
console.log(
  `${names.length} documents, ${total.truth} tables, found ${total.found}, spurious ${total.spurious}; ` +
    `TEDS ${mean(total.teds)} TEDS-S ${mean(total.structure)}; P ${precision.toFixed(3)} R ${recall.toFixed(3)} ` +
    `F1 ${((2 * precision * recall) / (precision + recall)).toFixed(3)}`,
);

function scoreDocument(name: string, truth: readonly Grid[], made: readonly Grid[]): void {
  const left = new Set(made);
  for (const [index, grid] of truth.entries()) {
    const [best] = [...left]
      .map((other) => ({ other, likeness: likeness(grid, other) }))
      .filter((match) => match.likeness > 0.3)
      .sort((a, b) => b.likeness - a.likeness);
    const wanted = relations(grid);
    total.truth++;
    total.wanted += countOf(wanted);
    const scores = [0, 0, 0];
    if (best !== undefined) {
      left.delete(best.other);
      total.found++;
      scores[0] = teds(grid, best.other, false);
      scores[1] = teds(grid, best.other, true);
      const got = relations(best.other);
      const right = shared(wanted, got);
      total.made += countOf(got);
      total.right += right;
      scores[2] = (2 * right) / Math.max(1, countOf(wanted) + countOf(got));
    }
    total.teds += scores[0] ?? 0;
    total.structure += scores[1] ?? 0;
    if (values.list)
      console.log(
        `${name} #${index + 1} ${grid.rowCount}×${grid.columnCount} ${scores.map((s) => s.toFixed(2)).join(" ")}`,
      );
  }
  for (const grid of left) {
    // The rest of a table that goes on over several pages is no table more.
    const isPart = truth.some((other) => likeness(other, grid, true) > 0.5);
    if (!isPart) total.spurious++;
    total.made += countOf(relations(grid));
    if (values.list)
      console.log(
        `${name} ${isPart ? "part" : "SPURIOUS"} ${grid.rowCount}×${grid.columnCount} ${grid.cells
          .map(({ text }) => text)
          .join("|")
          .slice(0, 80)}`,
      );
  }
}

// Share of letters in cells of equal text; of the smaller table's letters when one may be a part of the other.
function likeness(a: Grid, b: Grid, isPart = false): number {
  const [x, y] = [bag(a), bag(b)];
  const both = shared(x, y);
  return isPart
    ? both / Math.max(1, Math.min(countOf(x), countOf(y)))
    : (2 * both) / Math.max(1, countOf(x) + countOf(y));
}

function bag({ cells }: Grid): Map<string, number> {
  const found = new Map<string, number>();
  for (const { text } of cells) {
    for (let at = 0; at < text.length; at += 1) {
      const key = text.slice(at, at + 4);
      if (at === 0 || key.length === 4) found.set(key, (found.get(key) ?? 0) + 1);
    }
  }
  return found;
}
