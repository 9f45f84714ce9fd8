import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { createId } from "@attune/service-kit/create-id.ts";
import { isMarkAlive, markOf } from "@attune/service-kit/postgres/process-mark.ts";
import { and, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "../../infra/db/create-database.ts";
import { fromNow } from "./repo.ts";
import { jobExecutors } from "./tables.ts";

export interface LeaseRequest {
  readonly database: Database;
  readonly leaseMs: number;
}

/**
 * Enters this process among the executors, and gives its id there. Executors of this place whose process is gone are removed,
 * so that a platform that was killed goes on at its next start and not when its lease ends.
 */
export async function takeLease({ database, leaseMs }: LeaseRequest): Promise<string> {
  const id = createId();
  await database.transaction(async (tx) => {
    const here = await tx.select().from(jobExecutors).where(eq(jobExecutors.place, place));
    const gone = here.filter(({ processMark }) => !isMarkAlive(processMark)).map((executor) => executor.id);
    if (gone.length > 0) await tx.delete(jobExecutors).where(inArray(jobExecutors.id, gone));
    await tx.delete(jobExecutors).where(lt(jobExecutors.leasedUntil, fromNow(-keptMs)));
    const row = { id, place, processMark: markOf(process.pid), leasedUntil: fromNow(leaseMs) };
    await tx.insert(jobExecutors).values(row);
  });
  return id;
}

/** Whether it still stood; one that has ended is not brought back, because others may have taken its jobs. */
export async function renewLease({ database, leaseMs }: LeaseRequest, executorId: string): Promise<boolean> {
  const renewed = await database.queries
    .update(jobExecutors)
    .set({ leasedUntil: fromNow(leaseMs) })
    .where(and(eq(jobExecutors.id, executorId), gt(jobExecutors.leasedUntil, sql`now()`)))
    .returning({ id: jobExecutors.id });
  return renewed.length > 0;
}

export async function endLease({ queries }: Database, executorId: string): Promise<void> {
  await queries.delete(jobExecutors).where(eq(jobExecutors.id, executorId));
}

const keptMs = 24 * 3_600_000;

/**
 * Where the mark of a process names one process only: this boot of this machine, and this space of process numbers. Where
 * the system does not tell, every process has a place of its own, and leases alone say who lives.
 */
const place = ((): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return randomUUID();
  }
})();
