import { verifyAndRecord } from "./features/storage/index.ts";
import type { Database } from "./infra/db/create-database.ts";
import { openObjectStores } from "./infra/storage/object-stores.ts";
import type { StorageValues } from "./infra/storage/storage-settings.ts";

const remedies = {
  missing: "bring it back from a backup of the store",
  damaged: "bring it back from a backup of the store or, without a key, of the database",
  unreadable: "look at the disk or the log of the store, then verify again",
  unknown: "a database that is older than the store has such ones; else delete it by hand",
} as const;

/** Reads all that is stored, tells each fault on standard output, and gives the number of faults. */
export async function printStorageReport(database: Database, values: StorageValues): Promise<number> {
  const stores = await openObjectStores(values);
  try {
    const report = await verifyAndRecord({ database, stores }, ({ kind, subject, owner, detail }) => {
      const facts = [owner === undefined ? undefined : `of ${owner}`, detail].filter(Boolean).join("; ");
      process.stdout.write(`FAIL ${kind} ${subject}${facts && ` (${facts})`}: ${remedies[kind]}\n`);
    });
    const { objectCount, inlineCount, sizeBytes, faultCount } = report;
    const sum = `${objectCount} objects in ${stores.current.name}, ${inlineCount} files in the database, ${sizeBytes} bytes`;
    process.stdout.write(`${faultCount === 0 ? "ok  " : "FAIL"} ${sum}, ${faultCount} faults\n`);
    return faultCount;
  } finally {
    await stores.close();
  }
}
