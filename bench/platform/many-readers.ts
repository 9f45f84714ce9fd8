/**
 * Reads at 200 requests a second, of a dataset of 1,000,000 rows among 1,000 datasets, by an open-loop generator; then searches
 * of its rows.
 *
 *     node bench/platform/many-readers.ts [rows] [requests a second] [seconds of each]
 */
import { createDataset, listDatasetRows } from "@attune/contracts/rest/datasets.ts";
import { renderTable } from "../report/table.ts";
import { runClient } from "./fetch-client.ts";
import { runOpenLoop } from "./open-loop.ts";
import { formatMs, percentile, sortTimes } from "./percentiles.ts";
import { makeRowsFile } from "./rows-file.ts";
import { servePlatform } from "./serve.ts";
import { writeReport } from "./write-report.ts";

const [rows = 1_000_000, rate = 200, seconds = 60] = process.argv.slice(2).map(Number);
const path = await makeRowsFile({ rows, rowBytes: 500 });
await using platform = await servePlatform();
const { url, token, client } = platform;
const { body: dataset } = await client.call(createDataset, { body: { name: "Large" } });
const params = { dataset_id: dataset.id };
const address = `${url}/api/v1/datasets/${dataset.id}`;
await runClient({ url: `${address}/files?name=a.jsonl`, token, method: "POST", file: { path } });
for (let index = 0; index < 1000; index++) {
  await client.call(createDataset, { body: { name: `Beside ${index}` } });
}

const offsetOf = (index: number): number => ((index * 7_368_787) % rows) & ~1;
const pageOf = (index: number, limit: number): string =>
  `${address}/versions/1/rows?offset=${Math.min(rows - limit, offsetOf(index))}&limit=${limit}`;
const kinds: Readonly<Record<string, (index: number) => string>> = {
  "list of 50 datasets": () => `${url}/api/v1/datasets`,
  "one dataset": () => address,
  "one version with statistics": () => `${address}/versions/1`,
  "50 rows at any offset": (index) => pageOf(index, 50),
  "200 rows at any offset": (index) => pageOf(index, 200),
};
const makers = Object.values(kinds);
const mixed = (index: number): string => makers[index % 4]?.(index) ?? address;
const lines: string[][] = [];
await runOpenLoop({ rate, seconds: 5, token, urlOf: mixed });
for (const [kind, urlOf] of Object.entries({ ...kinds, "the first four in turn": mixed })) {
  platform.forgetPeak();
  const startCpu = platform.cpuSeconds();
  const { times, failures, lateMs } = await runOpenLoop({ rate, seconds, token, urlOf });
  const cpu = Math.round(((platform.cpuSeconds() - startCpu) / seconds) * 100);
  const sorted = sortTimes(times);
  const shares = [0.5, 0.9, 0.99, 0.999, 1].map((share) => formatMs(percentile(sorted, share)));
  const line = [kind, String(times.length), String(failures), ...shares, formatMs(lateMs), `${cpu} %`];
  lines.push([...line, String(platform.peakMib())]);
  console.log(line.join(" | "));
}
const body = [
  `${rows.toLocaleString("en")} rows of 500 bytes, 1,001 datasets, ${rate} requests a second for ${seconds} seconds each, at moments of a Poisson process that are fixed beforehand. Times, in milliseconds, count from that moment, whether the generator could keep it ("late" is its longest delay) or not.`,
  renderTable(
    ["Read", "Answers", "Failures", "p50", "p90", "p99", "p99.9", "longest", "late", "CPU", "Peak memory, MiB"],
    lines,
  ),
  await describeSearch(),
].join("\n\n");
writeReport("200 reads a second on 1,000,000 rows", { command: "node bench/platform/many-readers.ts", body });

/** A word that only the last row holds: each answer looks through a part of the rows and says where to go on. */
async function describeSearch(): Promise<string> {
  const times: number[] = [];
  let found = 0;
  for (let offset: number | null = 0; offset !== null;) {
    const startMs = performance.now();
    const page = await searchFrom(offset);
    times.push(performance.now() - startMs);
    found += page.items.length;
    offset = page.next_offset;
  }
  const sorted = sortTimes(times);
  const total = (times.reduce((sum, ms) => sum + ms, 0) / 1000).toFixed(1);
  return `Search for a word that only the last row holds: ${found} found after ${total} s in ${times.length} requests, p50 ${formatMs(percentile(sorted, 0.5))} ms, p95 ${formatMs(percentile(sorted, 0.95))} ms.`;
}

interface SearchPage {
  readonly items: readonly unknown[];
  readonly next_offset: number | null;
}

async function searchFrom(offset: number): Promise<SearchPage> {
  const query = { offset, limit: 50, search: "Needle" };
  return (await client.call(listDatasetRows, { params: { ...params, version_no: 1 }, query })).body;
}
