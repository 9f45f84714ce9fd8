import { writeSync } from "node:fs";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import { startExecutor } from "./executor.ts";
import { openDatabase, type TestKind, testKind } from "./test-kind.fixture.ts";

/** This file, to be run with a `CrashOrder` as JSON: an executor that works until it is killed. */
export const crashProgram = import.meta.filename;

export interface CrashOrder {
  readonly databaseUrl: string;
  /** The process sends itself the signal at the so-manieth point; 0: never. */
  readonly crashAt: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
  readonly leaseMs: number;
}

type CrashPoint = (name: string) => Promise<void>;

if (import.meta.main) run(JSON.parse(process.argv[2] ?? "{}") as CrashOrder);

function run({ databaseUrl, crashAt, signal, leaseMs }: CrashOrder): void {
  let points = 0;
  const crashPoint: CrashPoint = async (name) => {
    writeSync(1, `${name}\n`);
    if (++points !== crashAt) return;
    process.kill(process.pid, signal);
    // It is heard a moment later.
    if (signal === "SIGKILL") await new Promise(() => {});
  };
  const database = openDatabase(databaseUrl);
  const logger = createLogger("test", "error");
  const kinds = [crashingKind(database, crashPoint)];
  startExecutor({ database, logger, kinds, schedules: [], settings: { leaseMs, pollMs: 20, jobsAtOnce: 1 } });
}

/** Each item has an effect of every sort; `effects` keeps which ones happened. An item named `waits` never ends. */
export function crashingKind(database: Database, crashPoint: CrashPoint): TestKind {
  return testKind({
    run: async ({ input: { name }, step, transaction }) => {
      await crashPoint("begun");
      if (name === "waits") await new Promise(() => {});
      await step("outside", async () => {
        await database.queries.execute(sql`insert into effects values (${name}, 'outside')`);
        await crashPoint("step: done, not kept");
      });
      await crashPoint("step: kept");
      await transaction("inside", async (tx) => {
        await tx.execute(sql`insert into effects values (${name}, 'inside')`);
        await crashPoint("transaction: done, not committed");
      });
      await crashPoint("transaction: committed");
      return {
        commit: async (tx) => {
          await tx.execute(sql`insert into effects values (${name}, 'end')`);
          await crashPoint("end: done, not committed");
          return () => crashPoint("end: committed");
        },
      };
    },
  });
}
