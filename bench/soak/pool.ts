/**
 * Parses documents through the worker pool for a while and prints how memory goes: `node --expose-gc bench/soak/pool.ts [COUNT] [FILE…]`.
 * Without files it makes its own. A slope of the service that stays above zero is a leak; workers are recycled.
 */
import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { createWorkerPool } from "../../apps/parser/src/isolation/create-worker-pool.ts";
import { plainOptions } from "../../apps/parser/src/isolation/testing/parse-options.ts";

const [countArgument = "5000", ...paths] = process.argv.slice(2);
const count = Number(countArgument);
const inputs = paths.length > 0 ? paths.map(readInput) : makeInputs();
const signal = new AbortController().signal;
const concurrency = 4;
const samples = 20;
const mib = 1 << 20;

const pool = await createWorkerPool({ workers: 2 });
const points: { done: number; rssMib: number; heapMib: number; externalMib: number; workerMib: number }[] = [];
const outcomes = new Map<string, number>();
let next = 0;

await Promise.all(Array.from({ length: concurrency }, work));
await pool.close();

console.table(points);
console.log(Object.fromEntries(outcomes), pool.stats());
const settled = points.slice(Math.floor(points.length / 4));
console.log(`service: heap ${slopeOf(settled).toFixed(3)} MiB for 1000 documents`);

async function work(): Promise<void> {
  while (next < count) {
    const index = next++;
    const outcome = await pool.read(inputs[index % inputs.length]!, plainOptions, signal).then(
      () => "read",
      (error: Error) => error.message.split(":")[0] ?? "",
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (index % Math.ceil(count / samples) === 0) takePoint(index);
  }
}

function takePoint(done: number): void {
  globalThis.gc?.();
  const round = (bytes: number) => Math.round((bytes / mib) * 10) / 10;
  const { rss, heapUsed, external } = process.memoryUsage();
  points.push({
    done,
    rssMib: round(rss),
    heapMib: round(heapUsed),
    externalMib: round(external),
    workerMib: round(pool.stats().peakRssBytes),
  });
}

/** Least squares over the heap, which is what is really held; the allocator keeps more for later. MiB for 1000 documents. */
function slopeOf(of: typeof points): number {
  const meanX = of.reduce((sum, { done }) => sum + done, 0) / of.length;
  const meanY = of.reduce((sum, point) => sum + point.heapMib, 0) / of.length;
  const over = of.reduce((sum, point) => sum + (point.done - meanX) * (point.heapMib - meanY), 0);
  const under = of.reduce((sum, { done }) => sum + (done - meanX) ** 2, 0);
  return (over / under) * 1000;
}

function readInput(path: string) {
  return { bytes: readFileSync(path), fileName: basename(path), format: extname(path).slice(1).toLowerCase() };
}

function makeInputs() {
  const text = (words: number) => Buffer.from(Array.from({ length: words }, (_, index) => `word${index}`).join(" "));
  return [10, 1000, 20_000].map((words) => ({ bytes: text(words), fileName: `${words}.txt`, format: "txt" }));
}
