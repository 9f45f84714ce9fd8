import { serveMetrics } from "@attune/service-kit/serve-metrics.ts";
import { createDataset, getDataset, uploadDatasetFile } from "@attune/contracts/rest/datasets.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics } from "../infra/metrics/create-metrics.ts";
import { startTestPlatform, type TestPlatform } from "../testing/start-test-platform.ts";

let run: TestPlatform;
beforeAll(async () => {
  run = await startTestPlatform({ PLATFORM_INLINE_MAX_KIB: "0" });
});
afterAll(() => run[Symbol.asyncDispose]());

/** The values of one metric by its labels as they are written. */
async function valuesOf(name: string): Promise<ReadonlyMap<string, number>> {
  const lines = (await run.platform.metrics.read()).split("\n");
  return new Map(
    lines.flatMap((line) => {
      const found = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line);
      return found === null ? [] : [[found[1] ?? "", Number(found[2])] as const];
    }),
  );
}

test("requests are counted by the pattern of their route, whatever is asked for", async () => {
  const { client } = run.operator;
  const { body } = await client.call(createDataset, { body: { name: "Measured" } });
  await client.call(getDataset, { params: { dataset_id: body.id } });
  for (const path of ["/api/v1/datasets/none", "/no/such/page.html", "/api/v1/nothing", "/healthz"])
    await fetch(run.baseUrl + path);
  // A request is counted when its answer has gone, which its caller may see before.
  const count = () => valuesOf("platform_http_request_seconds_count");
  await expect
    .poll(async () => (await count()).has('route="/healthz",method="GET",status="2xx"'), { timeout: 60_000 })
    .toBe(true);
  const counts = await count();
  expect(counts.get('route="/api/v1/datasets/:dataset_id",method="GET",status="2xx"')).toBe(1);
  expect(counts.get('route="/api/v1/datasets/:dataset_id",method="GET",status="4xx"')).toBe(1);
  expect(counts.get('route="/healthz",method="GET",status="2xx"')).toBe(1);
  expect([...counts.keys()].join("\n")).not.toMatch(/none|nothing|page|[\da-f]{8}-/);
});

test("refusals are counted by reason, and those for too many requests by whose they were", async () => {
  await using slow = await startTestPlatform({ PLATFORM_RATE_PER_SECOND: "1" });
  const ask = () => fetch(`${slow.baseUrl}/api/v1/session`, { headers: { authorization: "Bearer none" } });
  const statuses: number[] = [];
  await expect
    .poll(async () => statuses.push((await ask()).status) && statuses, { interval: 1, timeout: 60_000 })
    .toContain(429);
  const text = await slow.platform.metrics.read();
  expect(text).toMatch(/platform_problems_total\{reason="SIGN_IN_REQUIRED"\} \d/);
  expect(text).toMatch(/platform_problems_total\{reason="RATE_LIMITED"\} \d/);
  expect(text).toMatch(/platform_rate_limit_refusals_total\{limit="address"\} \d/);
});

test("what uploads bring is counted in bytes", async () => {
  const { client } = run.operator;
  const { body } = await client.call(createDataset, { body: { name: "Large" } });
  const upload = `${JSON.stringify({ instruction: "x".repeat(200_000), output: "y" })}\n`;
  await client.call(uploadDatasetFile, { params: { dataset_id: body.id }, query: { name: "l.jsonl" }, upload });
  const count = async () => (await valuesOf("platform_http_received_bytes_total")).get('kind="upload"') ?? 0;
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(upload.length);
  expect(await count()).toBeLessThan(upload.length + 10_000);
});

test("the pool, the stored objects and the process are told at each scrape", async () => {
  const text = await run.platform.metrics.read();
  expect(text).toMatch(/^platform_database_connections_max 20$/m);
  expect(text).toMatch(/^platform_database_waiting 0$/m);
  expect(text).toMatch(/^platform_storage_objects\{store="filesystem",state="live"\} [1-9]/m);
  expect(text).toMatch(/^platform_storage_bytes\{store="filesystem",state="live"\} [1-9]/m);
  expect(text).toMatch(/^platform_process_resident_memory_bytes \d/m);
});

test("counts that cannot be had are absent, and the rest is told", async () => {
  const pool = { totalCount: 3, idleCount: 1, waitingCount: 4, options: { max: 5 } };
  const countObjects = () => Promise.reject(new Error("the database is gone"));
  const metrics = createMetrics({ readPool: () => pool, countObjects });
  const text = await metrics.read();
  expect(text).toMatch(/^platform_database_connections_in_use 2$/m);
  expect(text).not.toMatch(/^platform_storage_objects[{ ]/m);
});

test("they are served at /metrics and nowhere else, and only for reading", async () => {
  const server = await serveMetrics(run.platform.metrics, "127.0.0.1", 0);
  const url = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  expect(await answer.text()).toContain("platform_http_request_seconds");
  expect((await fetch(url)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(404);
  // The API's own port tells nothing of them.
  const own = await fetch(`${run.baseUrl}/metrics`);
  expect(await own.text()).not.toContain("platform_");
  await server.close();
});
