import { existsSync } from "node:fs";
import { renderTable } from "../../report/table.ts";
import { odlMeasures } from "../odl/score-document.ts";
import { compareWithStored, listEngines } from "../odl/stored-evaluation.ts";
import type { Section } from "./run.ts";

/** That our scores are those of opendataloader-bench: the means that we compute for what it stores. */
export function reportProof(bench: string): Section {
  const title = `## Likeness to true Markdown, by the measures of opendataloader-bench`;
  if (!existsSync(bench))
    return { markdown: `${title}\n\nNot proven: its stored files are missing.`, charts: new Map() };
  const compared = listEngines(bench).map((engine) => compareWithStored(bench, engine, () => true));
  const differing = compared.reduce((count, { differences }) => count + differences.length, 0);
  const leftAside = compared.reduce((count, one) => count + one.leftAside.length, 0);
  const table = renderTable(
    ["200 stored predictions each", ...odlMeasures],
    compared.map(({ engine, means }) => [engine, ...odlMeasures.map((measure) => means[measure].toFixed(3))]),
  );
  const markdown = `${title}

NID: likeness of the whole text; TEDS: of the tables as trees of rows and cells; MHS: of the headings and what stands under
each; -S: of structure alone (NID-S: without tables); overall: mean of NID, TEDS and MHS. Our code gives ${differing === 0 ? "the same" : `${differing} other`}
means to three decimals as the seven evaluations that opendataloader-bench stores, and the same for each document
(\`node bench/quality/odl/prove-scores.ts\`; for ${leftAside} documents the stored prediction is not the one that was evaluated):

${table}

The truth of the articles is made from their XML (title, abstract, body, references), that of the printed files is Docling's
Markdown of the office file, a yardstick and not truth. What is printed beside that (authors, affiliations, running
heads) and where floats stand lower everyone's figures: compare readers, not sets.
`;
  return { markdown, charts: new Map() };
}
