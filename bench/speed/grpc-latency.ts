import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { startDocparser } from "@attune/testkit/start-docparser.ts";

export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly callCount: number;
}

const warmUpCount = 50;
const callCount = 200;

/** Wall time of a call over gRPC on loopback, one after the other, of a service that has read the file often before. */
export async function measureLatency(path: string): Promise<Latency> {
  await using service = await startDocparser({ PARSER_LOG_LEVEL: "warn" });
  const file = join(service.folder, "page.pdf");
  copyFileSync(path, file);
  const client = createDocparserClient(service.address);
  const times: number[] = [];
  for (let call = 0; call < warmUpCount + callCount; call += 1) {
    const startedAtMs = performance.now();
    const { success, content } = await client.parse({ file_url: `file://${file}` });
    const tookMs = performance.now() - startedAtMs;
    if (!success || content.length < 100) throw new Error("the page was not read");
    if (call >= warmUpCount) times.push(tookMs);
  }
  client.close();
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95), callCount };
}
