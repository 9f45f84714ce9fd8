/**
 * Validates a JSONL and a JSON file of 500,000 rows and 1 GB each, and tells rows and bytes a second and the memory that the
 * process needed. The files are made in .work/bench-datasets and kept.
 *
 *     node bench/datasets/validate-large.ts [rows] [megabytes]
 */
import { createReadStream, existsSync, mkdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { validateFile } from "../../apps/platform/src/features/datasets/formats/validate-file.ts";

const [rows = 500_000, megabytes = 1024] = process.argv.slice(2).map(Number);
const folder = join(import.meta.dirname, "../../.work/bench-datasets");
const sentence = '训练数据的每一行都要读到。The quick brown fox jumps over the lazy dog, "quoted", and goes home.\n';

mkdirSync(folder, { recursive: true });
for (const fileType of ["jsonl", "json"] as const) {
  const path = join(folder, `${rows}-${megabytes}.${fileType}`);
  if (!existsSync(path)) await write(path, fileType);
  await measure(path, fileType);
}

async function measure(path: string, fileType: "json" | "jsonl"): Promise<void> {
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 50);
  const before = process.cpuUsage();
  const startMs = performance.now();
  const { counts, findings } = await validateFile(createReadStream(path, { highWaterMark: 256 * 1024 }), { fileType });
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(before);
  clearInterval(timer);
  const told = findings.map(({ code, count }) => `${code} ${count}`).join(", ");
  console.log(
    `${fileType}: ${counts.valid} of ${counts.raw} rows valid, ${seconds.toFixed(1)} s wall, ` +
      `${((cpu.user + cpu.system) / 1e6).toFixed(1)} s processor, ${Math.round(counts.raw / seconds)} rows/s, ` +
      `${Math.round(megabytes / seconds)} MiB/s, peak memory ${Math.round(peakBytes / 1048576)} MiB; ${told || "no findings"}`,
  );
}

async function write(path: string, fileType: "json" | "jsonl"): Promise<void> {
  const rowBytes = Math.floor((megabytes * 1048576) / rows);
  const repeats = Math.max(1, Math.floor((rowBytes - 120) / Buffer.byteLength(JSON.stringify(sentence))));
  const file = await open(path, "w");
  const isArray = fileType === "json";
  for (let row = 0; row < rows;) {
    const lines: string[] = [];
    for (; lines.length < 2000 && row < rows; row++) {
      const text = JSON.stringify({ instruction: `Question ${row}?`, input: "", output: sentence.repeat(repeats) });
      lines.push(`${isArray ? (row === 0 ? "[" : ",") : ""}${text}\n`);
    }
    await file.write(lines.join(""));
  }
  if (isArray) await file.write("]\n");
  await file.close();
}
