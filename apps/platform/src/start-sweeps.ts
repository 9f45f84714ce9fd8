import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Database, Transaction } from "./infra/db/create-database.ts";

const everyMs = 10 * 60_000;

/** Removes what has expired, now and then; what one sweep cannot remove the next one will. */
export function startSweeps(
  sweeps: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>>,
  database: Database,
  logger: Logger,
): { stop: () => void } {
  const run = async (): Promise<void> => {
    for (const [name, sweep] of Object.entries(sweeps)) {
      await database
        .transaction(sweep)
        .catch((error: unknown) => logger.warn({ error, sweep: name }, "a sweep failed"));
    }
  };
  const timer = setInterval(() => void run(), everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
