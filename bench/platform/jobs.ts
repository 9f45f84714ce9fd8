/**
 * What background work costs where its items do nothing: how soon it begins, items a second, what an executor does at rest. The
 * database is the one of the tests, which does not wait for the disk.
 *
 *     node bench/platform/jobs.ts
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import * as z from "zod";
import { createJobs, defineJobKind, startExecutor } from "../../apps/platform/src/features/jobs/index.ts";
import { createDatabase } from "../../apps/platform/src/infra/db/create-database.ts";
import { migrate } from "../../apps/platform/src/infra/db/migrate.ts";
import { renderTable } from "../report/table.ts";
import { formatMs, percentile, sortTimes } from "./percentiles.ts";

await using server = await createTestDatabase({
  migrationsFolder: join(import.meta.dirname, "../../apps/platform/drizzle"),
  migrate: (url) => migrate(url, { connectTimeoutMs: 10_000, lockTimeoutMs: 60_000 }),
});
const logger = createLogger("bench", "error");
const times = { connectTimeoutMs: 10_000, statementTimeoutMs: 60_000, maxConnections: 20 };
const database = createDatabase({ url: server.url, ...times }, logger);
let beganMs = 0;
const kindOf = (name: string, itemsAtOnce: number) =>
  defineJobKind({
    name,
    params: z.strictObject({}),
    input: z.int(),
    itemsAtOnce,
    run: async () => {
      beganMs = performance.now();
      return {};
    },
  });
const [single, wide] = [kindOf("single", 1), kindOf("wide", 8)];
const jobs = createJobs({ kinds: [single, wide], logger });

/** Runs a job to its end; gives how long it took to be enqueued, and to be done. */
async function runJob(kind: typeof single, count: number): Promise<{ enqueueMs: number; runMs: number }> {
  const startMs = performance.now();
  const items = Array.from({ length: count }, (_, input) => ({ subject: `${input}`, input }));
  const { id } = await database.transaction((tx) => jobs.enqueue(tx, kind, { params: {}, items }));
  const enqueuedMs = performance.now();
  const isOver = async (): Promise<boolean> =>
    (await database.pool.query("select 1 from jobs where id = $1 and ended_at is not null", [id])).rowCount === 1;
  while (!(await isOver())) await sleep(5);
  return { enqueueMs: enqueuedMs - startMs, runMs: performance.now() - enqueuedMs };
}

const settings = { leaseMs: 15_000, pollMs: 500, jobsAtOnce: 4 };
const executor = startExecutor({ database, logger, kinds: [single, wide], schedules: [], settings });
const waits: number[] = [];
for (let count = 0; count < 20; count++) {
  const startMs = performance.now();
  await runJob(single, 1);
  waits.push(beganMs - startMs);
  await sleep(137);
}
const sorted = sortTimes(waits);
const rows = [
  [
    "begins after, polling every 500 ms",
    `${formatMs(percentile(sorted, 0.5))} ms median, ${formatMs(percentile(sorted, 1))} ms at most`,
  ],
];
for (const [kind, what] of [
  [single, "one at a time"],
  [wide, "8 at once"],
] as const) {
  const { enqueueMs, runMs } = await runJob(kind, 1000);
  rows.push([`1000 items, ${what}`, `${Math.round(1e6 / runMs)} items/s, enqueued in ${formatMs(enqueueMs)} ms`]);
}
const before = process.cpuUsage();
await sleep(20_000);
const { user, system } = process.cpuUsage(before);
rows.push(["at rest", `${((user + system) / 200_000).toFixed(2)} % of a core`]);
console.log(renderTable(["Background work", `load ${loadavg()[0]?.toFixed(1)}`], rows));
await executor.stop(0);
await database.close();
