import { stat } from "node:fs/promises";
import { healthReasons } from "@attune/contracts/rest/health-reasons.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { measureObjects, measureOverdue, verifyAndRecord } from "./features/storage/index.ts";
import { createObjectStoreProbe } from "./features/system/index.ts";
import type { Database } from "./infra/db/create-database.ts";
import { listMigrations } from "./infra/db/list-migrations.ts";
import { openObjectStores } from "./infra/storage/object-stores.ts";
import type { StorageValues } from "./infra/storage/storage-settings.ts";

const remedies = {
  missing: "bring it back from a backup of the store",
  damaged: "bring it back from a backup of the store or, without a key, of the database",
  unreadable: "look at the disk or the log of the store, then verify again",
  unknown: "a database that is older than the store has such ones; else delete it by hand",
} as const;

/** A write or removal that takes longer than this has most likely lost its process. */
const overdueMs = 24 * 3_600_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Reads all that is stored, tells each fault on standard output, and gives the number of faults. */
export async function printStorageReport(database: Database, values: StorageValues): Promise<number> {
  const hindrance = await findHindrance(database, values);
  if (hindrance !== undefined) {
    print(`FAIL ${hindrance}`);
    return 1;
  }
  const stores = await openObjectStores(values);
  try {
    const report = await verifyAndRecord({ database, stores }, ({ kind, subject, owner, detail }) => {
      const facts = [owner === undefined ? undefined : `of ${owner}`, detail].filter(Boolean).join("; ");
      print(`FAIL ${kind} ${subject}${facts && ` (${facts})`}: ${remedies[kind]}`);
    });
    const { pending, deleting } = await measureOverdue(database.queries, overdueMs);
    if (pending + deleting > 0)
      print(
        `warn ${pending} writes and ${deleting} removals began more than a day ago: the running platform ends them`,
      );
    const { objectCount, inlineCount, sizeBytes, faultCount } = report;
    const sum = `${objectCount} objects in ${stores.current.name}, ${inlineCount} files in the database, ${sizeBytes} bytes`;
    print(`${faultCount === 0 ? "ok  " : "FAIL"} ${sum}, ${faultCount} faults`);
    return faultCount;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    print(`FAIL the verification could not be brought to its end: ${error.message}`);
    return 1;
  } finally {
    await stores.close();
  }
}

/** Tells on standard output what is wrong with the store, without reading all of it. @returns whether it can work. */
export async function printStoreCheck(database: Database, values: StorageValues): Promise<boolean> {
  const hindrance = await findHindrance(database, values);
  if (hindrance !== undefined) {
    print(`fail  ${hindrance}`);
    return false;
  }
  const stores = await openObjectStores(values);
  try {
    const { run } = createObjectStoreProbe(database, stores.current);
    const { findings = [], facts } = (await run(AbortSignal.timeout(checkTimeoutMs))) ?? {};
    for (const { reason, state, detail = "" } of findings) {
      const { sentence, remedy } = healthReasons[reason];
      print(`${state === "failing" ? "fail" : "warn"}  ${[sentence, detail, remedy].filter(Boolean).join(" ")}`);
    }
    if (findings.length === 0)
      print(
        `ok    The object store ${facts?.store ?? ""} takes, gives back and removes objects (${facts?.latency_ms} ms).`,
      );
    return !findings.some(({ state }) => state === "failing");
  } finally {
    await stores.close();
  }
}

const checkTimeoutMs = 15_000;

// Opening a store makes its folder, after which everything would look missing one by one.
async function findHindrance({ queries }: Database, values: StorageValues): Promise<string | undefined> {
  const { missing } = await listMigrations(queries);
  if (missing.length > 0) {
    return `The database is not up to date: ${missing.length} migrations are missing. \`npm start\` applies them, as does \`node apps/platform/src/main.ts migrate\`.`;
  }
  if (values.store !== "filesystem") return undefined;
  const { path } = values.filesystem;
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return undefined;
  const kept = (await measureObjects(queries)).filter(({ store, state }) => store === "filesystem" && state === "live");
  const count = kept.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return undefined;
  return `The folder ${path} of the store is not there, and ${count} objects belong there. Mount its volume, or correct PLATFORM_STORE_PATH or ATTUNE_DATA_DIR.`;
}
