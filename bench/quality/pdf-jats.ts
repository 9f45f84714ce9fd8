/**
 * Scores what the PDF reader makes of articles against their publishers' JATS XML: writes NAME.md for every NAME.pdf of a
 * folder and hands both folders to the scorer. With `--peers` (all that are installed) or `--peers=ID,ID`, they do the same,
 * and each article of whose words a peer finds more than we do is listed.
 *
 *     node bench/quality/pdf-jats.ts [FOLDER [SCORER [OUT]]] [--peers[=ID,ID]]
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { convertFiles } from "../peers/convert-files.ts";
import { labelOf, type Peer } from "../peers/peer.ts";
import { findPeers, ours } from "../peers/peers.ts";
import { type JatsScores, jatsMeasures, scoreJats } from "./jats-scores.ts";
import { summarise } from "./summary.ts";

const shared = join(import.meta.dirname, "../../../shared");
const given = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const [corpus = join(shared, "corpus/pmc"), scorer = join(shared, "bench/score_jats.py"), outFolder] = given;
if (!existsSync(corpus) || !existsSync(scorer)) {
  console.error(`Nothing measured: ${corpus} or ${scorer} is not there.`);
  process.exit(2);
}

const paths = readdirSync(corpus)
  .filter((file) => file.endsWith(".pdf"))
  .map((file) => join(corpus, file));
const folder = outFolder ?? mkdtempSync(join(tmpdir(), "pdf-jats-"));
const scored = new Map<string, JatsScores>();
for (const peer of [ours, ...choosePeers()]) {
  if (peer.missing === undefined) scored.set(labelOf(peer), await score(peer));
  else console.log(`${labelOf(peer)} takes no part: ${peer.missing}`);
}
for (const line of [...renderTable(), ...renderLosses()]) console.log(line);
if (outFolder === undefined) rmSync(folder, { recursive: true });

function choosePeers(): Peer[] {
  const wish = process.argv.find((argument) => argument.startsWith("--peers"));
  if (wish === undefined) return [];
  const names = wish.split("=")[1]?.split(",");
  return findPeers().filter(({ id, reads }) => reads.includes("pdf") && (names?.includes(id) ?? true));
}

async function score(peer: Peer): Promise<JatsScores> {
  const out = join(folder, peer.id);
  mkdirSync(out, { recursive: true });
  for (const [path, { text, error }] of await convertFiles(peer, paths)) {
    if (error !== undefined) console.log(`${labelOf(peer)}, ${basename(path)}: ${error}`);
    writeFileSync(join(out, basename(path).replace(/\.pdf$/, ".md")), text ?? "");
  }
  return scoreJats(scorer, corpus, out);
}

function renderTable(): string[] {
  const rows = [...scored].map(([name, scores]) => {
    const cells = jatsMeasures.map((measure) => {
      const summary = summarise(new Map([...scores].map(([document, row]) => [document, row[measure]])));
      if (summary === undefined) return "–";
      return [summary.mean, summary.worstTenth, summary.min].map((value) => value.toFixed(3)).join(" / ");
    });
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [
    `${paths.length} articles: mean / mean of the worst tenth / minimum`,
    "",
    `| | ${jatsMeasures.join(" | ")} |`,
    `| --- |${" --- |".repeat(jatsMeasures.length)}`,
    ...rows,
  ];
}

function renderLosses(): string[] {
  const [mine, ...others] = [...scored];
  return [...mine![1]].flatMap(([document, { recall = 1 }]) => {
    const best = others
      .map(([name, scores]) => ({ name, recall: scores.get(document)?.recall ?? 0 }))
      .toSorted((one, other) => other.recall - one.recall)[0];
    if (best === undefined || best.recall <= recall) return [];
    return [`- ${document}: ${(best.recall - recall).toFixed(3)} below ${best.name} (${best.recall.toFixed(3)})`];
  });
}
