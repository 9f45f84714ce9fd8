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

/** Has the platform compare every stored object with what the database says of it. @returns the platform's exit status. */
export async function verifyStorage(request: StorageRequest, signal: AbortSignal): Promise<number | string> {
  const { config, write } = request;
  await using running = new AsyncDisposableStack();
  let databaseUrl = config.databaseUrl?.reveal();
  if (databaseUrl === undefined) {
    const { startEmbeddedPostgres } = await import("@attune/service-kit/postgres/start-embedded-postgres.ts");
    const database = await startEmbeddedPostgres({
      folder: dataFolderAt(config.dataFolder).database,
      log: write,
      signal,
    });
    running.defer(() => database.stop());
    databaseUrl = database.url;
  }
  const environment = serviceEnvironment({ ...request, databaseUrl });
  return runProgram({ name: "storage", arguments: [programs.platform, "verify-storage"], environment, write }, signal);
}
