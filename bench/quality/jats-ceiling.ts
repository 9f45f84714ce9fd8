/**
 * What a perfect conversion of the articles would score: the publishers' own text, abstract, paragraphs, titles and tables in
 * their own order, as the scorer of `pdf-jats.ts` counts it. It finds less than all, because it leaves citations out of the
 * truth that stand in every article, and takes a phrase for misplaced that the abstract has as well.
 *
 *     node bench/quality/jats-ceiling.ts [FOLDER [SCORER]]
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { walkXml } from "../../apps/parser/src/xml/walk-xml.ts";
import { scoreJats } from "./jats-scores.ts";
import { summarise } from "./summary.ts";

const shared = join(import.meta.dirname, "../../../shared");
const [corpus = join(shared, "corpus/pmc"), scorer = join(shared, "bench/score_jats.py")] = process.argv.slice(2);
if (!existsSync(corpus) || !existsSync(scorer)) {
  console.error(`Nothing measured: ${corpus} or ${scorer} is not there.`);
  process.exit(2);
}

const parts = new Set(["abstract", "body"]);
const textBlocks = new Set(["p", "title", "td", "th"]);

const folder = mkdtempSync(join(tmpdir(), "jats-ceiling-"));
for (const file of readdirSync(corpus)) {
  if (!file.endsWith(".xml")) continue;
  const xml = readFileSync(join(corpus, file), "utf8").replace(/<!DOCTYPE[^>[]*(?:\[[^\]]*\])?>/, "");
  writeFileSync(join(folder, file.replace(/\.xml$/, ".md")), articleText(xml));
}
const scores = scoreJats(scorer, corpus, folder);
for (const measure of ["recall", "order"] as const) {
  const summary = summarise(new Map([...scores].map(([name, row]) => [name, row[measure]])));
  const values = [summary?.mean, summary?.worstTenth, summary?.min].map((value) => value?.toFixed(3));
  console.log(`${measure}: at most ${values.join(" / ")} (mean / mean of the worst tenth / minimum)`);
}
rmSync(folder, { recursive: true });

function articleText(xml: string): string {
  let text = "";
  let partsOpen = 0;
  let blocksOpen = 0;
  walkXml(
    xml,
    {
      open: (name) => {
        if (parts.has(name)) partsOpen++;
        if (textBlocks.has(name)) blocksOpen++;
      },
      close: (name) => {
        if (parts.has(name)) partsOpen--;
        if (!textBlocks.has(name)) return;
        blocksOpen--;
        text += "\n\n";
      },
      text: (piece) => {
        if (partsOpen > 0 && blocksOpen > 0) text += piece;
      },
    },
    { maxDepth: 200 },
  );
  return text;
}
