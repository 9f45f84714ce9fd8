import { join } from "node:path";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { createTestDatabase } from "@attune/testkit/test-database.ts";
import { asc, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { Database } from "../infra/db/create-database.ts";
import { migrate } from "../infra/db/migrate.ts";
import { type JobExecutor, type JobSettings, startExecutor } from "../features/jobs/executor.ts";
import type { ItemRow } from "../features/jobs/items.ts";
import type { JobKind, JobRow, JobSchedule } from "../features/jobs/job-kind.ts";
import { createJobs } from "../features/jobs/jobs.ts";
import { getJobRow } from "../features/jobs/repo.ts";
import { jobItems } from "../features/jobs/tables.ts";
import { openDatabase, type TestKind } from "../features/jobs/test-kind.fixture.ts";

export interface StartedJobs extends AsyncDisposable {
  readonly database: Database;
  readonly databaseUrl: string;
  /** An executor with a pool of its own, stopped with the rest. */
  addExecutor(
    kinds: readonly JobKind[],
    settings?: Partial<JobSettings>,
    schedules?: readonly JobSchedule[],
  ): JobExecutor;
  /** Enqueues a job with items of these names. */
  enqueue(kind: TestKind, names: readonly string[], singletonKey?: string): Promise<string>;
  cancel(kind: TestKind, jobId: string): Promise<JobRow>;
  retry(kind: TestKind, jobId: string, reason?: string): Promise<JobRow>;
  getJob(jobId: string): Promise<JobRow>;
  listItems(jobId: string): Promise<ItemRow[]>;
  /** Starts an executor and runs a job with items of these names to its end; gives its id. */
  runAll(kind: TestKind, names: readonly string[]): Promise<string>;
  /** Waits for the end of a job. */
  ended(jobId: string): Promise<JobRow>;
}

const testSettings: JobSettings = { leaseMs: 60_000, pollMs: 20, jobsAtOnce: 4 };
export const waitLong = { timeout: 60_000, interval: 20 };

export async function startJobs(): Promise<StartedJobs> {
  const testDatabase = await createTestDatabase({
    migrationsFolder: join(import.meta.dirname, "../../drizzle"),
    migrate: (url) => migrate(url, { connectTimeoutMs: 10_000, lockTimeoutMs: 60_000 }),
  });
  const logger = createLogger("test", "silent");
  const database = openDatabase(testDatabase.url);
  const executors: JobExecutor[] = [];
  const getJob = (jobId: string) => getJobRow(database.queries, jobId);
  const started: Omit<StartedJobs, typeof Symbol.asyncDispose> = {
    database,
    databaseUrl: testDatabase.url,
    addExecutor: (kinds, settings = {}, schedules = []) => {
      const deps = { database, logger, kinds, schedules, settings: { ...testSettings, ...settings } };
      const executor = startExecutor(deps);
      executors.push(executor);
      return executor;
    },
    enqueue: (kind, names, singletonKey) =>
      database.transaction(async (tx) => {
        const items = names.map((name) => ({ subject: name, input: { name } }));
        const job = { params: {}, items, ...(singletonKey !== undefined && { singletonKey }) };
        return (await createJobs({ kinds: [kind], logger }).enqueue(tx, kind, job)).id;
      }),
    cancel: (kind, jobId) => database.transaction((tx) => createJobs({ kinds: [kind], logger }).cancel(tx, jobId)),
    retry: (kind, jobId, reason) =>
      database.transaction((tx) => createJobs({ kinds: [kind], logger }).retry(tx, jobId, reason)),
    getJob,
    listItems: (jobId) =>
      database.queries.select().from(jobItems).where(eq(jobItems.jobId, jobId)).orderBy(asc(jobItems.itemNo)),
    ended: async (jobId) => {
      await expect.poll(async () => (await getJob(jobId)).endedAt, waitLong).not.toBeNull();
      return getJob(jobId);
    },
    runAll: async (kind, names) => {
      started.addExecutor([kind]);
      const jobId = await started.enqueue(kind, names);
      await started.ended(jobId);
      return jobId;
    },
  };
  return {
    ...started,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(executors.map((executor) => executor.stop(0)));
      await database.close();
      await testDatabase.drop();
    },
  };
}
