import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { CliConfig } from "../config.ts";
import { dataFolderAt } from "../data-folder.ts";
import { programs } from "../repository.ts";
import { runProgram } from "../run-program.ts";
import { serviceEnvironment } from "../service-environment.ts";

export interface StorageRequest {
  readonly config: CliConfig;
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/**
 * Has the platform compare every stored object with what the database says of it. The embedded database is started when it
 * does not run, and never made.
 * @returns the platform's exit status
 * @throws Error when there is no database.
 */
export async function verifyStorage(request: StorageRequest, signal: AbortSignal): Promise<number | string> {
  await using running = new AsyncDisposableStack();
  const databaseUrl = request.config.databaseUrl?.reveal() ?? (await openEmbedded(request, running, signal));
  const environment = serviceEnvironment({ ...request, databaseUrl });
  const args = [programs.platform, "verify-storage"];
  // Awaited here, since the database is let go when this function returns.
  return await runProgram({ name: "storage", arguments: args, environment, write: request.write }, signal);
}

async function openEmbedded(
  { config, write }: StorageRequest,
  running: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  const folder = dataFolderAt(config.dataFolder).database;
  if (!existsSync(join(folder, "cluster"))) {
    throw new Error(
      `There is no database in ${folder}, so there is nothing to compare with. Set ATTUNE_DATA_DIR to the data folder, or DATABASE_URL to the database.`,
    );
  }
  const { startEmbeddedPostgres } = await import("@attune/service-kit/postgres/start-embedded-postgres.ts");
  const database = await startEmbeddedPostgres({ folder, log: write, signal });
  running.defer(() => database.stop());
  return database.url;
}
