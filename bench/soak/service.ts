/**
 * `npm run bench:soak [COUNT]`: parses the golden documents of all formats again and again in one service (10,000 times unless
 * told) and reports the resident memory of the service process and its slope, fitted by least squares over the runs after the
 * first fifth, in which caches fill.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { descendantsOf } from "@attune/testkit/processes.ts";
import { startDocparser } from "@attune/testkit/start-docparser.ts";

const count = Number(process.argv[2] ?? 10_000);
const sampleEvery = 250;
const inFlight = 4;
const corpus = join(import.meta.dirname, "../../apps/parser/corpus");

interface Sample {
  readonly parses: number;
  readonly serviceMib: number;
  readonly workersMib: number;
}

const urls = readdirSync(corpus, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith(".golden.md"))
  .map((entry) => `file://${join(entry.parentPath, entry.name)}`);

await using service = await startDocparser({ PARSER_FILE_ROOTS: corpus, PARSER_LOG_LEVEL: "warn" });
const client = createDocparserClient(service.address);
const samples: Sample[] = [];
let next = 0;
let failures = 0;
await Promise.all(Array.from({ length: inFlight }, work));
client.close();
report();

async function work(): Promise<void> {
  for (let index = next++; index < count; index = next++) {
    const { success } = await client.parse({ file_url: urls[index % urls.length] ?? "" });
    if (!success) failures++;
    if (index % sampleEvery === 0) samples.push(sample(index));
  }
}

function sample(parses: number): Sample {
  const workersMib = descendantsOf(service.pid).reduce((sum, pid) => sum + residentMib(pid), 0);
  return { parses, serviceMib: residentMib(service.pid), workersMib };
}

function residentMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it ended meanwhile
  }
}

function report(): void {
  const settled = samples.filter(({ parses }) => parses >= count / 5);
  const slope = slopeOf(settled.map(({ parses, serviceMib }) => [parses / 1000, serviceMib]));
  for (const { parses, serviceMib, workersMib } of samples.filter((_, index) => index % 4 === 0)) {
    console.log(`${parses} parses: service ${serviceMib.toFixed(0)} MiB, workers ${workersMib.toFixed(0)} MiB`);
  }
  console.log(`${count} parses of ${urls.length} documents, ${failures} refused`);
  console.log(`slope of the service: ${slope.toFixed(3)} MiB for each 1,000 parses`);
}

function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (pick: 0 | 1): number => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}
