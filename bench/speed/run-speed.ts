/**
 * `npm run bench:speed`: CPU time and memory of PDF to Markdown, ours and the peers' in the same run; documents of up to 1,200 pages;
 * a page over gRPC; a long Word document and a large sheet. Writes docs/benchmarks/pdf-speed.md and docx-speed.md.
 *
 *     node bench/speed/run-speed.ts [--rounds N] [--every N] [--only pdf]
 *
 * `--every N` takes each Nth article only, for a machine that has little time.
 *
 * The corpus is looked for in CORPUS_DIR, else beside the repository; without it the run says so and measures nothing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillCompileCache } from "../peers/fill-compile-cache.ts";
import { findPeers, ours } from "../peers/peers.ts";
import { renderOrigin, renderReaders } from "../report/readers-table.ts";
import { renderTable } from "../report/table.ts";
import { measureLatency } from "./grpc-latency.ts";
import { renderLongDocuments } from "./long-documents.ts";
import { cutPage } from "./pdf-pages.ts";
import { chartMemory, chartSpeed, measureSet, renderSpeed } from "./pdf-speed.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    every: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const root = join(import.meta.dirname, "../..");
const corpus = process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus");
const docs = join(root, "docs/benchmarks");
if (!existsSync(corpus) || spawnSync("pdfinfo", ["-v"]).error !== undefined) {
  console.error(`Nothing measured: there is no ${corpus}, or no poppler-utils to count pages with.`);
  process.exit(2);
}

const articles = globSync(join(corpus, "pmc/*.pdf")).toSorted();
const mixed = globSync(join(corpus, "docling/pdf/*.pdf")).toSorted();
const peers = [ours, ...findPeers().filter(({ reads, limits }) => reads.includes("pdf") || limits !== undefined)];
const readers = peers.filter(({ missing, reads }) => missing === undefined && reads.includes("pdf"));
const every = Number(options.every);
const measured = articles.filter((_, index) => index % every === 0);
const compiled = fillCompileCache(readers, articles[0]!);
process.env["NODE_COMPILE_CACHE"] = compiled;
const onArticles = await measureSet(readers, measured, rounds);
const onMixed = await measureSet(readers, mixed, rounds);
const sections = [
  renderHead(),
  `## ${measured.length} of ${articles.length} articles\n\n${renderSpeed(onArticles)}\n`,
  "![Pages per CPU-second](pdf-speed.svg)\n",
  "![Peak memory](pdf-memory.svg)\n",
  `## ${mixed.length} short files of many kinds\n\n${renderSpeed(onMixed)}\n`,
  await renderLongDocuments(
    articles,
    readers.filter(({ id }) => ["docparser", "liteparse"].includes(id)),
  ),
  await renderLatency(),
  ...(options.only === "pdf" ? [] : [renderOffice()]),
];
writeFileSync(join(docs, "pdf-speed.md"), sections.join("\n"));
writeFileSync(join(docs, "pdf-speed.svg"), chartSpeed("Articles: pages per CPU-second", onArticles));
writeFileSync(join(docs, "pdf-memory.svg"), chartMemory("Articles: peak resident memory, MiB", onArticles, 300));
rmSync(compiled, { recursive: true });
console.log("docs/benchmarks/pdf-speed.md");

function renderHead(): string {
  return `# PDF to Markdown: CPU time and memory beside peers

${renderOrigin("npm run bench:speed")} Readers take
turns in each round, each with a process of its own; the figures are medians of rounds. CPU time is user and system time of
all threads; on a busy machine it grows for everyone, so that the ratios count. Cold: the first pass over the files,
with the start of the process; warm: the second pass of the same process. Readers in Node find their sources compiled, in a
compile cache that one file filled beforehand, as workers of the service do. Readers that are a command run once for a file;
OpenDataLoader reads all files in one process of Java. Those that take a second for a page read every sixth file once. Peak: the
most resident memory of one process.

${renderReaders(peers)}
`;
}

async function renderLatency(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const rows: string[][] = [];
  for (const [index, article] of articles.slice(0, 3).entries()) {
    const path = join(folder, `${index}.pdf`);
    if (!cutPage(article, 2, path)) continue;
    const { p50Ms, p95Ms, callCount } = await measureLatency(path);
    const figures = [p50Ms, p95Ms].map((value) => value.toFixed(1));
    rows.push([`page 2 of article ${index + 1}`, String(callCount), ...figures]);
  }
  rmSync(folder, { recursive: true });
  return [
    "## One page over gRPC",
    "",
    "Wall time of a call on loopback, from the request to the whole answer, of a service that is warm; one call after the",
    "other. The file is fetched, recognised and read by a worker process each time. Wall time is what the machine leaves: the",
    `load was ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors when this was measured.`,
    "",
    renderTable(["PDF of one page", "calls", "p50 ms", "p95 ms"], rows),
    "",
  ].join("\n");
}

function renderOffice(): string {
  const program = (name: string, ...args: string[]): string => {
    return spawnSync(process.execPath, [join(import.meta.dirname, name), ...args], { encoding: "utf8" }).stdout;
  };
  program("docx.ts", "--rounds", String(rounds), "--report", join(docs, "docx-speed.md"));
  return [
    "## Office files",
    "",
    "A long Word document beside mammoth and officeparser: [docx-speed.md](docx-speed.md). A large sheet beside SheetJS:",
    "",
    "```",
    program("xlsx.ts", String(rounds)).trim(),
    "```",
    "",
  ].join("\n");
}
