import { existsSync, rmSync } from "node:fs";
import { stopEmbeddedPostgres } from "@attune/service-kit/postgres/start-embedded-postgres.ts";
import { LockedError, takeLock } from "@attune/service-kit/instance-lock.ts";
import { findDatabaseUrl } from "@attune/service-kit/postgres/find-database-url.ts";
import { dataFolderAt } from "../data-folder.ts";
import { findJobProcesses } from "./find-jobs.ts";

/**
 * Deletes the data folder with everything in it. A database of `DATABASE_URL` is left as it is.
 * @returns what was done
 * @throws Error saying why nothing was deleted.
 */
export async function runReset(folder: string, isConfirmed: boolean): Promise<string> {
  const data = dataFolderAt(folder);
  if (!existsSync(folder)) return `There is no data folder ${folder}: nothing to delete.`;
  if (!existsSync(data.marker)) {
    throw new Error(
      `${folder} was not made by Attune (${data.marker} is missing), so it is not deleted. Delete by hand what is yours to delete.`,
    );
  }
  if (!isConfirmed) {
    throw new Error(
      `This deletes ${folder} with all accounts, datasets, models and files. To do it: npm run attune -- reset --yes`,
    );
  }
  const lock = await lockStopped(data.lock);
  try {
    refuseJobs(findJobProcesses(folder));
    await stopEmbeddedPostgres(data.database, process.pid);
    if (findDatabaseUrl(data.database) !== undefined) {
      throw new Error(`Another program still uses the database in ${data.database}. Stop it first.`);
    }
    rmSync(folder, { recursive: true });
  } finally {
    lock.release();
  }
  return `${folder} is deleted; \`npm start\` begins anew.`;
}

function refuseJobs(pids: readonly number[]): void {
  if (pids.length === 0) return;
  throw new Error(
    `Jobs of the node agent still run here (process${pids.length === 1 ? "" : "es"} ${pids.join(", ")}), since they outlive it. Start Attune and stop them, or end the processes; nothing was deleted.`,
  );
}

async function lockStopped(path: string): ReturnType<typeof takeLock> {
  try {
    return await takeLock(path);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(`Attune is running (process ${error.pid}). Stop it first; nothing was deleted.`, { cause: error });
  }
}
