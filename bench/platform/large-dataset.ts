/**
 * A dataset of 500,000 rows: pages at offsets all over it, one after the other, and downloads and exports as ZIP with their time
 * and the peak memory of the platform.
 *
 *     node bench/platform/large-dataset.ts [rows] [bytes of a row]
 */
import { statSync } from "node:fs";
import { createDataset, listDatasetRows, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { renderTable } from "../report/table.ts";
import { runClient } from "./fetch-client.ts";
import { formatMs, percentile, sortTimes } from "./percentiles.ts";
import { makeRowsFile } from "./rows-file.ts";
import { servePlatform } from "./serve.ts";
import { writeReport } from "./write-report.ts";

const [rows = 500_000, rowBytes = 2000] = process.argv.slice(2).map(Number);
const path = await makeRowsFile({ rows, rowBytes });
await using platform = await servePlatform();
const { url, token, client } = platform;
const { body: dataset } = await client.call(createDataset, { body: { name: "Large" } });
const params = { dataset_id: dataset.id };
const address = `${url}/api/v1/datasets/${dataset.id}`;
await runClient({ url: `${address}/files?name=a.jsonl`, token, method: "POST", file: { path } });

const pages: string[][] = [];
for (const limit of [50, 200]) pages.push([String(limit), ...(await measurePages(limit))]);
const zips: string[][] = [];
// A second file, so that the download is a ZIP.
const second = { name: "b.jsonl" } as const;
await client.call(uploadDatasetFile, { params, query: second, upload: '{"instruction":"a","output":"b"}\n' });
for (const [what, query] of [
  ["download, as uploaded", "download"],
  ["export for LLaMA-Factory", "export?layout=llama_factory"],
  ["export for datasets", "export?layout=hugging_face"],
  ["export for TRL", "export?layout=trl_each_answer"],
] as const) {
  platform.forgetPeak();
  const [startMs, startCpu] = [performance.now(), platform.cpuSeconds()];
  const bytes = await runClient({ url: `${address}/${query}`, token });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const cpu = (platform.cpuSeconds() - startCpu).toFixed(1);
  zips.push([what, (bytes / 1e6).toFixed(0), seconds, cpu, String(platform.peakMib())]);
}
const size = (statSync(path).size / 1e6).toFixed(0);
const body = [
  `${rows.toLocaleString("en")} rows, ${size} MB. Pages: 400 at offsets all over the dataset, one after the other.`,
  renderTable(["Rows of a page", "p50 ms", "p95 ms", "p99 ms", "longest ms", "Peak memory, MiB"], pages),
  renderTable(["ZIP", "MB", "Seconds", "CPU seconds", "Peak memory, MiB"], zips),
].join("\n\n");
writeReport("500,000 rows: pages and ZIP", { command: "node bench/platform/large-dataset.ts", body });

async function measurePages(limit: number): Promise<string[]> {
  platform.forgetPeak();
  const times: number[] = [];
  for (let page = 0; page < 400; page++) {
    const offset = Math.floor((((page * 7919) % 400) * rows) / 400);
    const startMs = performance.now();
    await client.call(listDatasetRows, { params: { ...params, version_no: 1 }, query: { offset, limit } });
    times.push(performance.now() - startMs);
  }
  const sorted = sortTimes(times);
  return [...[0.5, 0.95, 0.99, 1].map((share) => formatMs(percentile(sorted, share))), String(platform.peakMib())];
}
