/**
 * `node bench/inference/loads.ts [LOADS]`: how long POST /inference/load takes to answer, over 500 loads each of which becomes
 * ready and is unloaded again, beside what GET /inference/status takes, and what the agent's memory is after every fifth of them.
 */
import { percentile } from "./percentile.ts";
import { startFakeAgent, waitUntilReady } from "./fake-agent.ts";

const loads = Number(process.argv[2] ?? 500);
await using agent = await startFakeAgent();
const answersMs: number[] = [];
const statusMs: number[] = [];
const unloadsMs: number[] = [];
for (let index = 0; index < loads; index++) {
  const askedMs = performance.now();
  await (await fetch(`${agent.url}/inference/status`)).text();
  const startMs = performance.now();
  statusMs.push(startMs - askedMs);
  const answer = (await agent.post("/inference/load", { model_path: agent.plain })) as { success: boolean };
  const answeredMs = performance.now();
  if (!answer.success) throw new Error(`load ${index} was refused`);
  answersMs.push(answeredMs - startMs);
  await waitUntilReady(agent);
  const readyMs = performance.now();
  await agent.post("/inference/unload", {});
  unloadsMs.push(performance.now() - readyMs);
  if ((index + 1) % Math.ceil(loads / 5) === 0) {
    const { rss, heapUsed } = await agent.memory();
    console.log(`after ${index + 1} loads: resident ${toMb(rss)} MB, heap ${toMb(heapUsed)} MB`);
  }
}
for (const [name, times] of Object.entries({
  "status answers": statusMs,
  "load answers": answersMs,
  "unload is done": unloadsMs,
})) {
  const [p50, p95, p99] = [50, 95, 99].map((share) => percentile(times, share).toFixed(1));
  console.log(`${name}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, longest ${Math.max(...times).toFixed(1)} ms`);
}

function toMb(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
