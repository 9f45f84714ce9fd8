/**
 * Scores what the PDF reader makes of articles against their publishers' JATS XML: writes NAME.md for every NAME.pdf of a
 * folder and hands both folders to the scorer.
 *
 *     node bench/quality/pdf-jats.ts [FOLDER [SCORER]]
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderDocument } from "../../apps/parser/src/document/render/render-document.ts";
import { Budget } from "../../apps/parser/src/limits/budget.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";
import { readSource } from "../../apps/parser/src/reading/read-source.ts";

const shared = join(import.meta.dirname, "../../../shared");
const [corpus = join(shared, "corpus/pmc"), scorer = join(shared, "bench/score_jats.py"), outFolder] =
  process.argv.slice(2);
if (!existsSync(corpus) || !existsSync(scorer)) {
  console.error(`Nothing measured: ${corpus} or ${scorer} is not there.`);
  process.exit(2);
}

const folder = outFolder ?? mkdtempSync(join(tmpdir(), "pdf-jats-"));
const startedAt = process.cpuUsage();
let pageCount = 0;
for (const name of readdirSync(corpus).filter((file) => file.endsWith(".pdf"))) {
  const { document, warnings } = await readSource(
    { bytes: readFileSync(join(corpus, name)), fileName: name, format: "pdf" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
  pageCount += document.metadata.pageCount ?? 0;
  for (const warning of warnings) console.log(`${name}: ${warning}`);
  const markdown = renderDocument(document, {
    outputFormat: "markdown",
    tables: "auto",
    images: "placeholder",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
  writeFileSync(join(folder, name.replace(/\.pdf$/, ".md")), markdown);
}
const { user, system } = process.cpuUsage(startedAt);
console.log(`${pageCount} pages, ${Math.round((user + system) / 1000)} CPU ms`);

const { status } = spawnSync(
  "python3",
  [scorer, corpus, folder, ...(outFolder ? ["--json", `${folder}/scores.json`] : [])],
  {
    stdio: "inherit",
  },
);
if (outFolder === undefined) rmSync(folder, { recursive: true });
process.exit(status ?? 1);
