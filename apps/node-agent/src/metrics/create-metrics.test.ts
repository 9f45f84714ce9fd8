import { expect, test } from "vitest";
import { makeDevices, makeLeases } from "../health/node-parts.fixture.ts";
import { createMetrics } from "./create-metrics.ts";

const linesOf = (text: string, name: string): string[] =>
  text.split("\n").filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));

test("figures of GPUs have their unit in the name, say that they are simulated, and are absent when unknown", async () => {
  const { devices, figures } = makeDevices(2);
  figures.set(0, { memoryUsedMb: 2048, utilisationPercent: 50, temperatureC: 41 });
  figures.set(1, { memoryUsedMb: null, utilisationPercent: null, temperatureC: 0, fault: "It fell off the bus." });
  const metrics = createMetrics({
    devices,
    leases: makeLeases(["busy", "faulty"]),
    countJobs: () => ({ running: 2 }),
    countModels: () => ({}),
    eventBacklogBytes: async () => 512,
    measureCache: () => new Promise(() => undefined),
  });
  const text = await metrics.read();
  const figure = (name: string) =>
    linesOf(text, name).map((line) => [/gpu="(\d)"/.exec(line)?.[1], line.split(" ").at(-1)]);
  expect(figure("node_agent_gpu_memory_used_bytes")).toEqual([["0", String(2048 * 2 ** 20)]]);
  expect(figure("node_agent_gpu_utilisation_ratio")).toEqual([["0", "0.5"]]);
  expect(figure("node_agent_gpu_temperature_celsius")).toEqual([
    ["0", "41"],
    ["1", "0"],
  ]);
  expect(figure("node_agent_gpu_fault")).toEqual([
    ["0", "0"],
    ["1", "1"],
  ]);
  expect(linesOf(text, "node_agent_gpu_memory_used_bytes").every((line) => line.includes('simulated="true"'))).toBe(
    true,
  );
  expect(linesOf(text, "node_agent_gpus")).toContain('node_agent_gpus{use="busy"} 1');
  expect(linesOf(text, "node_agent_jobs")).toEqual(['node_agent_jobs{state="running"} 2']);
  expect(linesOf(text, "node_agent_event_backlog_bytes")).toEqual(["node_agent_event_backlog_bytes 512"]);
  expect(linesOf(text, "node_agent_cache_bytes")).toEqual([]);
});

test("states that nothing is in any more are gone, and the size of the cache is told once it is known", async () => {
  const { devices } = makeDevices(0);
  let jobs: Record<string, number> = { queued: 1 };
  const metrics = createMetrics({
    devices,
    leases: makeLeases(),
    countJobs: () => jobs,
    countModels: () => ({}),
    eventBacklogBytes: async () => undefined,
    measureCache: async () => 7,
  });
  const cacheLines = async () => linesOf(await metrics.read(), "node_agent_cache_bytes");
  await expect.poll(cacheLines).toEqual(["node_agent_cache_bytes 7"]);
  jobs = { running: 1 };
  expect(linesOf(await metrics.read(), "node_agent_jobs")).toEqual(['node_agent_jobs{state="running"} 1']);
});
