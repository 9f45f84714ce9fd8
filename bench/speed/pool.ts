/** What isolation costs, at each level this machine has: `node bench/speed/pool.ts`. Medians; CPU of service and workers. */
import { fileURLToPath } from "node:url";
import { createWorkerPool, type WorkerPool } from "../../apps/parser/src/isolation/create-worker-pool.ts";
import type { WorkerPoolSettings } from "../../apps/parser/src/isolation/pool-settings.ts";
import { hasLevel } from "../../apps/parser/src/isolation/testing/has-level.ts";
import { plainOptions } from "../../apps/parser/src/isolation/testing/parse-options.ts";
import type { IsolationLevel } from "../../apps/parser/src/process/sandbox.ts";

const misbehavingEntry = fileURLToPath(
  new URL("../../apps/parser/src/isolation/testing/misbehaving-worker.ts", import.meta.url),
);
const signal = new AbortController().signal;
const levels: readonly IsolationLevel[] = ["none", "process", "bubblewrap"];

for (const level of levels) {
  if (await hasLevel(level)) console.log(level, await measureLevel(level));
}

async function measureLevel(level: IsolationLevel) {
  const starting = performance.now();
  const real = await createWorkerPool({ workers: 1, isCompiledAhead: true }, { level });
  await readText(real, "first");
  const firstDocumentMs = performance.now() - starting;
  const startMs = await medianOf(9, async () => {
    const controller = new AbortController();
    const reading = real.read(textInput("x".repeat(5_000_000)), plainOptions, controller.signal).catch(() => undefined);
    controller.abort();
    await reading;
    await readText(real, "again");
    return real.stats().lastStartMs;
  });
  const killToReadyMs = await medianOf(9, async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    await real.read(textInput("x ".repeat(5_000_000)), plainOptions, controller.signal).catch(() => undefined);
    const killedAtMs = performance.now();
    await readText(real, "again");
    return performance.now() - killedAtMs;
  });
  const smallMs = await medianOf(500, () => timed(() => readText(real, "A small document.\n\nWith two paragraphs.")));
  const rssMib = Math.round(real.stats().peakRssBytes / 1_048_576);
  await real.close();
  const rest = await measureTransfer({ workerEntry: misbehavingEntry, workers: 1, warmFormats: [] }, level);
  return { firstDocumentMs, startMs, killToReadyMs, smallMs, rssMib, ...rest };
}

async function measureTransfer(settings: Partial<WorkerPoolSettings>, level: IsolationLevel) {
  const pool = await createWorkerPool(settings, { level });
  const act = (fileName: string, bytes: Uint8Array) =>
    pool.read({ bytes, fileName, format: "txt" }, plainOptions, signal);
  const nothing = new Uint8Array(1);
  const mebibyte = new Uint8Array(1 << 20);
  await act("echo=1", nothing);
  const noopMs = await medianOf(1000, () => timed(() => act("echo=1", nothing)));
  const cpuBefore = process.cpuUsage();
  const transferMs = await medianOf(200, () => timed(() => act("output=200000", mebibyte)));
  const { user, system } = process.cpuUsage(cpuBefore);
  await pool.close();
  return { noopMs, mebibyteInMs: transferMs, mebibyteInServiceCpuMs: (user + system) / 1000 / 200 };
}

function readText(pool: WorkerPool, text: string) {
  return pool.read(textInput(text), plainOptions, signal);
}

function textInput(text: string) {
  return { bytes: Buffer.from(text), fileName: "a.txt", format: "txt" };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let count = 0; count < times; count += 1) values.push(await measure());
  values.sort((a, b) => a - b);
  return Math.round((values[times >> 1] ?? Number.NaN) * 1000) / 1000;
}
