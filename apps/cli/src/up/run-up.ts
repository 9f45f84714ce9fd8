import type { Environment } from "@attune/service-kit/load-config.ts";
import type { SupervisorMessage } from "@attune/service-kit/supervisor-messages.ts";
import type { CliConfig } from "../config.ts";
import { dataFolderAt, makeDataFolder } from "../data-folder.ts";
import { checkMachine, checkPorts } from "../doctor/check-machine.ts";
import { type Check, printCheck } from "../doctor/check.ts";
import { programs } from "../repository.ts";
import { runProgram } from "../run-program.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { LockedError, takeLock } from "@attune/service-kit/instance-lock.ts";
import { supervise } from "../supervisor/supervise.ts";
import { buildWebApp } from "./build-web-app.ts";
import { keepDatabase } from "./keep-database.ts";
import { keepNodeToken } from "./keep-node-token.ts";
import { serviceDefinitions } from "./service-definitions.ts";

export interface UpRequest {
  readonly config: CliConfig;
  /** What the services are given beside the settings of the start. */
  readonly environment: Environment;
  readonly write: (line: string) => void;
}

/**
 * Starts everything and keeps it running until `signal` aborts; then stops everything and resolves.
 * @throws Error saying what hinders the start; nothing runs then.
 */
export async function runUp(request: UpRequest, signal: AbortSignal): Promise<void> {
  const { config, write } = request;
  const data = dataFolderAt(config.dataFolder);
  await using running = new AsyncDisposableStack();
  try {
    requireAll(checkMachine(config), write);
    makeDataFolder(data);
    keepNodeToken(data.nodeToken);
    const lock = await lockInstance(data.lock);
    running.defer(() => lock.release());
    requireAll(await checkPorts(config), write);
    // Both to their end, so that neither is still under way when the other has failed and all is taken down.
    const [database, web] = await Promise.allSettled([
      prepareDatabase(request, running, signal),
      buildWebApp(request, signal),
    ]);
    if (database.status === "rejected") throw database.reason;
    if (web.status === "rejected") throw web.reason;
    const databaseUrl = database.value;
    const supervisor = supervise(serviceDefinitions({ ...request, databaseUrl }), {
      write,
      onMessage: (_, message) => announceAdmin(message, write),
    });
    running.defer(() => supervisor.stop());
    const aborted = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    const addresses = await Promise.race([supervisor.ready, aborted]);
    if (addresses !== undefined) write(`Attune is ready: ${addresses.get("platform")}`);
    if (!signal.aborted) await aborted;
  } catch (error) {
    // Whatever was under way when the end was asked for has not failed.
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) write("Stopping.");
}

async function lockInstance(path: string): ReturnType<typeof takeLock> {
  try {
    return await takeLock(path);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(
      `Attune runs already on this data folder (process ${error.pid}). Stop it first, or set ATTUNE_DATA_DIR, ATTUNE_PORT, ATTUNE_PARSER_PORT and ATTUNE_NODE_PORT to run a second one.`,
      { cause: error },
    );
  }
}

function requireAll(checks: readonly Check[], write: (line: string) => void): void {
  for (const check of checks.filter(({ state }) => state !== "ok")) write(printCheck(check));
  if (checks.some(({ state }) => state === "fail")) throw new Error("Attune cannot start here: see above.");
}

async function prepareDatabase(
  request: UpRequest,
  running: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  const databaseUrl = await openDatabase(request, running, signal);
  await migrate({ ...request, databaseUrl }, signal);
  return databaseUrl;
}

async function openDatabase(
  { config, write }: UpRequest,
  running: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  if (config.databaseUrl !== undefined) return config.databaseUrl.reveal();
  const database = await keepDatabase(dataFolderAt(config.dataFolder).database, write, signal);
  running.defer(() => database.stop());
  return database.url;
}

// A short process of its own: what migrations load need not stay in memory for as long as everything runs.
async function migrate(request: UpRequest & { readonly databaseUrl: string }, signal: AbortSignal): Promise<void> {
  const status = await runProgram(
    {
      name: "migrate",
      arguments: [programs.platform, "migrate"],
      environment: serviceEnvironment(request),
      write: request.write,
    },
    signal,
  );
  if (status !== 0) throw new Error(`The database could not be brought up to date (status ${status}): see above.`);
}

function announceAdmin(message: SupervisorMessage, write: (line: string) => void): void {
  if (message.type !== "first-admin") return;
  write("The first account was made. Its password is shown this once, and asks for a new one at the first sign-in:");
  write(`    ${message.email}    ${message.password}`);
}
