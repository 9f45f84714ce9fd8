import { until } from "@attune/testkit/processes.ts";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "../../infra/db/create-database.ts";
import { startExecutor } from "./executor.ts";

function start(query: () => Promise<never>) {
  const warnings: unknown[] = [];
  const refused = new Proxy({}, { get: () => query }) as Database;
  const executor = startExecutor({
    database: refused,
    logger: { warn: (told: unknown) => warnings.push(told) } as never,
    kinds: [],
    schedules: [],
    settings: { leaseMs: 15_000, pollMs: 10, jobsAtOnce: 1 },
  });
  onTestFinished(() => executor.stop(0));
  return { executor, warnings };
}

test("an executor that cannot look for jobs says so", async () => {
  const { executor, warnings } = start(() => Promise.reject(new Error("the database is gone")));
  await until(() => executor.status().isLastWell === false, 60_000, "a round has failed");
  expect(executor.status()).toMatchObject({ name: "jobs", everyMs: 15_000 });
  expect(warnings.length).toBeGreaterThan(0);
});
