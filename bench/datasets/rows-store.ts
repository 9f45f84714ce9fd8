/**
 * Uploads the file of 500,000 rows and 1 GB that validate-large.ts made into a platform's datasets, then reads pages at random
 * offsets, saves edits, compares versions, downloads and exports. Tells times and the memory of the process, which also holds
 * the server; uploads and downloads are those of other processes.
 *
 *     node bench/datasets/rows-store.ts [rows] [megabytes]
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  createDataset,
  diffDatasetVersions,
  editDatasetRows,
  listDatasetRows,
} from "@attune/contracts/rest/datasets.ts";
import { startDatasets } from "../../apps/platform/src/testing/start-datasets.ts";

const [rows = 500_000, megabytes = 1024] = process.argv.slice(2).map(Number);
const file = join(import.meta.dirname, "../../.work/bench-datasets", `${rows}-${megabytes}.jsonl`);
await using run = await startDatasets();
const client = run.clientOf("editor");
const uploader = `
  const { createReadStream } = require("node:fs");
  const headers = { authorization: "Bearer " + process.env.TOKEN, "content-type": "application/octet-stream" };
  const body = require("node:stream").Readable.toWeb(createReadStream(process.env.FILE));
  fetch(process.env.URL, { method: "POST", headers, body, duplex: "half" })
    .then((answer) => process.exit(answer.ok ? 0 : 1));
`;
const downloader = `
  (async () => {
    const answer = await fetch(process.env.URL, { headers: { authorization: "Bearer " + process.env.TOKEN } });
    if (!answer.ok) throw new Error(await answer.text());
    let bytes = 0;
    for await (const piece of answer.body) bytes += piece.length;
    console.log(bytes);
  })();
`;
let peakBytes = 0;
setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage.rss())), 50).unref();
const tell = (text: string): void => console.log(`${text}; peak memory ${Math.round(peakBytes / 1048576)} MiB`);

const { body: dataset } = await client.call(createDataset, { body: { name: "Large" } });
const params = { dataset_id: dataset.id };
// From a process of its own, so that the memory is the server's.
const uploadMs = await time(() => runClient(uploader, "files?name=large.jsonl"));
tell(`upload and validation of ${rows} rows: ${(uploadMs / 1000).toFixed(1)} s`);

const pages: number[] = [];
for (let page = 0; page < 200; page++) {
  const offset = Math.floor(((page * 7919) % 200) * (rows / 200));
  const version = { ...params, version_no: 1 };
  pages.push(await time(() => client.call(listDatasetRows, { params: version, query: { offset, limit: 50 } })));
}
tell(`page of 50 rows at any offset: ${percentiles(pages)}`);

const text = JSON.stringify({ instruction: "Edited?", input: "", output: "Yes." });
const edits: number[] = [];
for (let no = 1; no <= 20; no++) {
  const row = Math.floor((rows / 21) * no);
  const body = { edits: [{ op: "replace" as const, row, text }] };
  edits.push(await time(() => client.call(editDatasetRows, { params, body, ifMatch: `"${no}"` })));
}
tell(`save of one row: ${percentiles(edits)}`);
const diffMs = await time(() => client.call(diffDatasetVersions, { params, query: { from: 20, to: 21 } }));
tell(`difference of two versions: ${Math.round(diffMs)} ms`);

for (const what of ["download?version_no=1", "download", "export?layout=llama_factory&unwritable=skip"]) {
  peakBytes = 0;
  let size = "";
  const ms = await time(async () => (size = await runClient(downloader, what)));
  tell(`${what}: ${Number(size)} bytes in ${(ms / 1000).toFixed(1)} s`);
}

async function runClient(program: string, path: string): Promise<string> {
  const url = `${run.baseUrl}/api/v1/datasets/${dataset.id}/${path}`;
  const env = { URL: url, TOKEN: run.tokenOf("editor"), FILE: file };
  return (await promisify(execFile)(process.execPath, ["-e", program], { env })).stdout;
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`;
}
