/**
 * `npm run bench:quality`: ours and every peer that `npm run bench:peers` installed over the same files, scored against true
 * content. Writes docs/benchmarks/pdf-quality.md with its charts, then has office.md and web.md written again.
 *
 *     node bench/quality/run-quality.ts [--fresh] [--only pdf] [--peers ID,ID]
 *
 * Answers of peers are kept by version and file; `--fresh` asks them again. The corpus is looked for in CORPUS_DIR, else
 * beside the repository; without it the run says so and measures nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { convertFiles } from "../peers/convert-files.ts";
import { labelOf, type Peer } from "../peers/peer.ts";
import { findPeers, ours } from "../peers/peers.ts";
import { renderOrigin, renderReaders } from "../report/readers-table.ts";
import { reportArticles } from "./pdf/articles.ts";
import { reportLikeness } from "./pdf/likeness.ts";
import { reportOddFiles } from "./pdf/odd-files.ts";
import { reportProof } from "./pdf/proof.ts";
import type { Run } from "./pdf/run.ts";
import { articleTruths, printedTruths } from "./pdf/true-markdown.ts";

const { values: options } = parseArgs({
  options: {
    fresh: { type: "boolean", default: false },
    only: { type: "string" },
    peers: { type: "string" },
  },
});
const root = join(import.meta.dirname, "../..");
const corpus = process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus");
const scorer = process.env["JATS_SCORER"] ?? join(root, "../shared/bench/score_jats.py");
const docs = join(root, "docs/benchmarks");
/** Every twelfth article: the measures take a second of CPU for a long one, for each reader. */
const likenessStep = 12;
for (const needed of [corpus, scorer]) {
  if (existsSync(needed)) continue;
  console.error(`Nothing measured: there is no ${needed}.`);
  process.exit(2);
}

await writePdfReport();
if (options.only !== "pdf") {
  for (const [program, report] of [
    ["pandoc-native.ts", "office.md"],
    ["html-peers.ts", "web.md"],
  ] as const) {
    const args = [join(import.meta.dirname, program), "--corpus", corpus, "--report", join(docs, report)];
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    console.log(status === 0 ? `docs/benchmarks/${report}` : `${report} could not be written`);
  }
}

async function writePdfReport(): Promise<void> {
  const articles = articleTruths(join(corpus, "pmc"));
  const printed = printedTruths(corpus);
  const odd = globSync(join(corpus, "pdf-odd/*.pdf")).toSorted();
  const articlePaths = articles.documents.map(({ path }) => path);
  const some = { ...articles, documents: articles.documents.filter((_, index) => index % likenessStep === 0) };
  const likenessPaths = [...some.documents, ...printed.documents].map(({ path }) => path);
  const paths = [...new Set([...articlePaths, ...likenessPaths, ...odd])];
  const peers = [ours, ...findPeers().filter(({ reads, limits }) => reads.includes("pdf") || limits !== undefined)];
  const runs: Run[] = [];
  for (const peer of peers) {
    if (peer.missing !== undefined || !peer.reads.includes("pdf") || !isChosen(peer)) continue;
    console.log(`${labelOf(peer)}: ${paths.length} files`);
    const asked = peer.isYardstick === true ? likenessPaths : paths;
    runs.push({ peer, answers: await convertFiles(peer, asked, options.fresh) });
  }
  const sections = [
    reportArticles(runs, { folder: join(corpus, "pmc"), scorer, paths: articlePaths }),
    reportProof(join(corpus, "odl-bench")),
    reportLikeness(runs, some, "pdf-likeness-articles.svg"),
    reportLikeness(runs, printed, "pdf-likeness-printed.svg"),
    reportOddFiles(runs, odd),
  ];
  const head = `# PDF to Markdown: quality beside peers

${renderOrigin("npm run bench:quality")} Everyone reads the same files, each in a process of its own with two minutes for a file; OCR is
off. \`npm run bench:peers\` installs the peers.

${renderReaders(peers.map(asTakingPart))}
`;
  const parts = [head, ...sections.map(({ markdown }) => `${markdown}\n`), renderFailures(runs, articlePaths)];
  writeFileSync(join(docs, "pdf-quality.md"), parts.join("\n"));
  for (const [name, svg] of sections.flatMap(({ charts }) => [...charts])) writeFileSync(join(docs, name), svg);
  console.log("docs/benchmarks/pdf-quality.md");
}

function asTakingPart(peer: Peer): Peer {
  return isChosen(peer) || !peer.reads.includes("pdf") ? peer : { ...peer, missing: "left out of this run" };
}

function isChosen({ id }: Peer): boolean {
  return id === ours.id || options.peers === undefined || options.peers.split(",").includes(id);
}

// Odd files are made to be refused; those of the other sets are not.
function renderFailures(runs: readonly Run[], articlePaths: readonly string[]): string {
  const lines = runs.flatMap(({ peer, answers }) =>
    [...answers].flatMap(([path, { error }]) => {
      const isOdd = relative(corpus, path).startsWith("pdf-odd");
      return error === undefined || isOdd ? [] : [`- ${labelOf(peer)}, ${basename(path)}: ${error.split("\n")[0]}`];
    }),
  );
  const title = "## Files that a reader failed on";
  if (lines.length > 0) return `${title}\n\n${lines.join("\n")}\n`;
  return `${title}\n\nNone of the ${articlePaths.length} articles and of the printed files.\n`;
}
