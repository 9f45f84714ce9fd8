/**
 * A file of 1 GB (1,000,000,000 bytes) uploaded in one request, and in pieces of 16 MiB as the web app does: seconds and peak
 * memory of the platform.
 *
 *     node bench/platform/large-upload.ts [megabytes]
 */
import { statSync } from "node:fs";
import { completeDatasetUpload, createDatasetUpload } from "@attune/contracts/rest/dataset-uploads.ts";
import { createDataset } from "@attune/contracts/rest/datasets.ts";
import { renderTable } from "../report/table.ts";
import { runClient } from "./fetch-client.ts";
import { makeRowsFile } from "./rows-file.ts";
import { type ServedPlatform, servePlatform } from "./serve.ts";
import { writeReport } from "./write-report.ts";

const megabytes = Number(process.argv[2] ?? 1000);
const rows = 500_000;
const requestBytes = 16 * 2 ** 20;
const path = await makeRowsFile({ rows, rowBytes: Math.round((megabytes * 1e6) / rows) });
const { size } = statSync(path);
await using platform = await servePlatform();
const idleMib = platform.peakMib();
const lines: string[][] = [];
let params = { dataset_id: "", upload_id: "" };

await measure("one request", uploadWhole);
await measure("pieces: the bytes", sendPieces);
await measure("pieces: their completion", completePieces);
const what = `${(size / 1e6).toFixed(0)} MB in ${rows.toLocaleString("en")} rows of JSONL, validated. Before the first upload the platform has ${idleMib} MiB.`;
const table = renderTable(["Upload", "Seconds", "MB/s", "CPU seconds", "Peak memory, MiB"], lines);
const command = "node bench/platform/large-upload.ts";
writeReport("Upload of 1 GB", { command, body: `${what}\n\n${table}` });

async function uploadWhole({ url, token }: ServedPlatform): Promise<void> {
  const id = await addDataset("Whole");
  await runClient({ url: `${url}/api/v1/datasets/${id}/files?name=a.jsonl`, token, method: "POST", file: { path } });
}

async function sendPieces({ url, token, client }: ServedPlatform): Promise<void> {
  const dataset = { dataset_id: await addDataset("In pieces") };
  const upload = await client.call(createDatasetUpload, { params: dataset, body: { name: "a.jsonl", size } });
  params = { ...dataset, upload_id: upload.body.id };
  const address = `${url}/api/v1/datasets/${params.dataset_id}/uploads/${params.upload_id}`;
  for (let offset = 0; offset < size; offset += requestBytes) {
    const file = { path, start: offset, count: Math.min(requestBytes, size - offset) };
    await runClient({ url: `${address}?offset=${offset}`, token, method: "PATCH", file });
  }
}

async function completePieces({ client }: ServedPlatform): Promise<void> {
  await client.call(completeDatasetUpload, { params });
}

async function addDataset(name: string): Promise<string> {
  return (await platform.client.call(createDataset, { body: { name } })).body.id;
}

async function measure(name: string, work: (served: ServedPlatform) => Promise<void>): Promise<void> {
  platform.forgetPeak();
  const [startMs, startCpu] = [performance.now(), platform.cpuSeconds()];
  await work(platform);
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = platform.cpuSeconds() - startCpu;
  lines.push([name, seconds.toFixed(1), (size / 1e6 / seconds).toFixed(0), cpu.toFixed(1), String(platform.peakMib())]);
}
