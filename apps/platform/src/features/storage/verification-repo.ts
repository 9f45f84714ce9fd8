import { createId } from "@attune/service-kit/create-id.ts";
import { desc, eq } from "drizzle-orm";
import type { Database, Queries, Transaction } from "../../infra/db/create-database.ts";
import type { StorageDeps } from "./service.ts";
import { storageVerifications } from "./tables.ts";
import { type StorageFault, verifyStorage, type VerifyReport } from "./verify-storage.ts";

/** A run of the verification; without an end it is under way, or its process is gone. */
export type Verification = typeof storageVerifications.$inferSelect;

/** Faults that are kept of one run; the rest is told by the command alone. */
export const keptFaults = 100;

/** Verifies, and keeps what came of it, so that the health of the platform can tell. @throws what `verifyStorage` throws. */
export async function verifyAndRecord(
  deps: Pick<StorageDeps, "database" | "stores">,
  tell: (fault: StorageFault) => void,
): Promise<VerifyReport> {
  const id = await begin(deps.database);
  const faults: StorageFault[] = [];
  try {
    const report = await verifyStorage(deps, (fault) => {
      if (faults.length < keptFaults) faults.push(fault);
      tell(fault);
    });
    await end(deps.database, id, { ...report, faults });
    return report;
  } catch (error) {
    // Why it failed is what the caller is to hear, also when it cannot be kept.
    await end(deps.database, id, { faults, failure: messageOf(error) }).catch(() => undefined);
    throw error;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

async function begin({ queries }: Database): Promise<string> {
  const id = createId();
  await queries.insert(storageVerifications).values({ id, startedAt: new Date() });
  return id;
}

type End = Partial<VerifyReport> & Pick<Verification, "faults"> & { readonly failure?: string };

async function end({ queries }: Database, id: string, result: End): Promise<void> {
  await queries
    .update(storageVerifications)
    .set({ ...result, endedAt: new Date() })
    .where(eq(storageVerifications.id, id));
}

/** Keeps what came of a run that was a job; one that was retried has its last outcome. */
export async function keepVerification(
  tx: Transaction,
  run: Omit<typeof storageVerifications.$inferInsert, "endedAt">,
): Promise<void> {
  const row = { ...run, endedAt: new Date() };
  await tx.insert(storageVerifications).values(row).onConflictDoUpdate({ target: storageVerifications.id, set: row });
}

/** The one that began last. */
export async function findLastVerification(queries: Queries): Promise<Verification | undefined> {
  const [row] = await queries
    .select()
    .from(storageVerifications)
    .orderBy(desc(storageVerifications.startedAt))
    .limit(1);
  return row;
}
