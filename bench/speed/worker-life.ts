/**
 * CPU time over all that one worker of the service reads, its start included, beside LiteParse. Both take each file at the same
 * time, on a processor each, so that whatever slows the machine down slows both. Writes docs/benchmarks/worker-life.md.
 *
 *     node bench/speed/worker-life.ts [--every N]
 *
 * `--every N` takes each Nth article only. The corpus is looked for in CORPUS_DIR, else beside the repository.
 */
import { existsSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fillCompileCache } from "../peers/fill-compile-cache.ts";
import { labelOf } from "../peers/peer.ts";
import { PeerProcess } from "../peers/peer-process.ts";
import { findPeers, ours } from "../peers/peers.ts";
import { renderOrigin } from "../report/readers-table.ts";
import { renderTable } from "../report/table.ts";
import { countPages } from "./pdf-pages.ts";

/** How many documents a worker reads before another takes its place (PARSER_WORKER_DOCUMENTS). */
const documentCount = 1_000;
const timeLimitMs = 180_000;

const { values: options } = parseArgs({ options: { every: { type: "string", default: "1" } } });
const root = join(import.meta.dirname, "../..");
const corpus = process.env["CORPUS_DIR"] ?? join(root, "../shared/corpus");
const paths = globSync(join(corpus, "pmc/*.pdf"))
  .toSorted()
  .filter((_, index) => index % Number(options.every) === 0);
const readers = [ours, ...findPeers().filter(({ id, missing }) => id === "liteparse" && missing === undefined)];
if (!existsSync(corpus) || readers.length < 2) {
  console.error(`Nothing measured: there is no ${corpus}, or LiteParse is not installed (npm run bench:peers).`);
  process.exit(2);
}
const compiled = fillCompileCache(readers, paths[0]!);
process.env["NODE_COMPILE_CACHE"] = compiled;

const pageCounts = paths.map(countPages);
const lives = readers.map((peer) => ({ peer, process: new PeerProcess(peer, timeLimitMs), cpuMs: 0, peakKib: 0 }));
let pageCount = 0;
for (let index = 0; index < documentCount; index++) {
  const at = index % paths.length;
  pageCount += pageCounts[at]!;
  await Promise.all(lives.map((life) => read(life, paths[at]!)));
}
await Promise.all(lives.map((life) => life.process.stop()));
rmSync(compiled, { recursive: true });

async function read(life: (typeof lives)[number], path: string): Promise<void> {
  const { error, cpuMs, peakKib } = await life.process.convert(path);
  if (error !== undefined) throw new Error(`${life.peer.name} fails on ${path}: ${error}`);
  life.cpuMs = cpuMs;
  life.peakKib = Math.max(life.peakKib, peakKib);
}

const rows = lives.map(({ peer, cpuMs, peakKib }) => [
  labelOf(peer),
  (cpuMs / 1000).toFixed(1),
  ((pageCount * 1000) / cpuMs).toFixed(0),
  (cpuMs / lives[0]!.cpuMs).toFixed(2),
  (peakKib / 1024).toFixed(0),
]);
const report = `# The life of a worker

${renderOrigin("node bench/speed/worker-life.ts")}
${documentCount} documents, ${pageCount} pages, as Markdown in one process of each reader, with the start of the process: what a worker of the
service reads before another takes its place. Both readers take each file at the same time, on a processor each. Beyond the
first hundred documents nothing is left to compile; [pdf-speed.md](pdf-speed.md) has the first and the second pass.

${renderTable(["", "CPU s", "pages per CPU-second", "ours, times as many", "peak MiB"], rows)}
`;
writeFileSync(join(root, "docs/benchmarks/worker-life.md"), report);
console.log(report);
