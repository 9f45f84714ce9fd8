import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Database, Transaction } from "./infra/db/create-database.ts";
import { createSweepRecord, type SweepStatus } from "./infra/sweep-record.ts";

const everyMs = 10 * 60_000;

export interface RunningSweeps {
  stop(): void;
  list(): readonly SweepStatus[];
}

/** Removes what has expired, now and then; what one sweep cannot remove the next one will. */
export function startSweeps(
  sweeps: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>>,
  database: Database,
  logger: Logger,
): RunningSweeps {
  const recorded = Object.entries(sweeps).map(([name, sweep]) => ({ sweep, record: createSweepRecord(name, everyMs) }));
  const run = async (): Promise<void> => {
    for (const { sweep, record } of recorded) {
      const work = async () => database.transaction(sweep).then(() => true);
      await record
        .run(work)
        .catch((error: unknown) => logger.warn({ error, sweep: record.status().name }, "a sweep failed"));
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return { stop: () => clearInterval(timer), list: () => recorded.map(({ record }) => record.status()) };
}
