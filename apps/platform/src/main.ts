#!/usr/bin/env node
import { createLogger, type Logger } from "@attune/service-kit/create-logger.ts";
import { exitWithParent } from "@attune/service-kit/exit-with-parent.ts";
import { ConfigError } from "@attune/service-kit/load-config.ts";
import { onShutdown } from "@attune/service-kit/on-shutdown.ts";
import { serveMetrics } from "@attune/service-kit/serve-metrics.ts";
import { type SupervisorMessage, tellSupervisor } from "@attune/service-kit/supervisor-messages.ts";
import { assemblePlatform, type Platform } from "./assemble-platform.ts";
import { loadConfig, type PlatformConfig } from "./config.ts";
import { verifyLog } from "./features/audit/index.ts";
import { makeFirstAdmin, resetPasswordOf, unlinkIdentities } from "./features/identity/index.ts";
import { rotateSecrets } from "./features/models/index.ts";
import { printStorageReport, printStoreCheck } from "./print-storage-report.ts";
import { createDatabase, type Database } from "./infra/db/create-database.ts";
import { migrate } from "./infra/db/migrate.ts";
import { createSecretBox } from "./infra/secrets/secret-box.ts";
import { openSecretKeys } from "./infra/secrets/secret-keys.ts";

const status = { done: 0, failed: 1, badUsage: 2 } as const;
const lockTimeoutMs = 120_000;

const help = `Usage: platform COMMAND

  serve                  serve the API and the web app (the database must be migrated)
  migrate                bring the database up to date
  check-store            have the object store take, give back and remove an object, and look for some that must be there
  verify-storage         read every stored object; status 1 and a line for each that is missing, damaged or unknown
  verify-log             compute the operation log's hashes anew; status 1 and the line when one does not fit
  reset-password EMAIL   print a new password for one sign-in
  unlink-identities EMAIL
                         forget who a user is at the identity provider; the next sign-in goes by the e-mail address
  rotate-secrets         encrypt the stored secrets with a new key (see PLATFORM_SECRET_KEY)

Settings are environment variables: see docs/reference/configuration.md. DATABASE_URL is needed.
`;

type Command = (config: PlatformConfig, logger: Logger, argument?: string) => Promise<number>;

const commands: Readonly<Partial<Record<string, Command>>> = {
  serve: runService,
  migrate: async ({ database: { url, connectTimeoutMs } }) => {
    await migrate(url, { connectTimeoutMs, lockTimeoutMs });
    return status.done;
  },
  "verify-storage": (config, logger) =>
    withDatabase(config, logger, async (database) =>
      (await printStorageReport(database, config.storage)) === 0 ? status.done : status.failed,
    ),
  "check-store": (config, logger) =>
    withDatabase(config, logger, async (database) =>
      (await printStoreCheck(database, config.storage)) ? status.done : status.failed,
    ),
  "verify-log": (config, logger) => withDatabase(config, logger, printChains),
  "rotate-secrets": (config, logger) => withDatabase(config, logger, (database) => rotate(config, database)),
  "unlink-identities": (config, logger, email = "") =>
    withDatabase(config, logger, (database) => unlink(database, email)),
  "reset-password": (config, logger, email = "") => withDatabase(config, logger, (database) => reset(database, email)),
};

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  // What fails at the database says its statement; the cause says why.
  const { cause } = error instanceof Error ? error : {};
  const why = cause instanceof Error && !(error instanceof ConfigError) ? `: ${cause.message}` : "";
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${why}\n`);
  return error instanceof ConfigError ? status.badUsage : status.failed;
});
// The channel to a supervisor, or a sweep, would keep alive what does not serve, and it would never be started again.
if (process.argv[2] === "serve" && process.exitCode !== status.done) {
  process.stderr.write("", () => process.exit());
}

async function run([name = "--help", argument]: readonly string[]): Promise<number> {
  const command = commands[name];
  if (command === undefined) {
    const isHelp = name === "--help" || name === "help";
    (isHelp ? process.stdout : process.stderr).write(isHelp ? help : `There is no command ${name}.\n\n${help}`);
    return isHelp ? status.done : status.badUsage;
  }
  const config = loadConfig(process.env);
  return command(config, createLogger("platform", config.logLevel), argument);
}

async function runService(config: PlatformConfig, logger: Logger): Promise<number> {
  let running: Platform | undefined;
  exitWithParent(async () => running?.close());
  const platform = await assemblePlatform(config, logger);
  running = platform;
  const first = await makeFirstAdmin(platform.database, config.identity.adminEmail);
  const url = await platform.server.listen({ host: config.host, port: config.port });
  const metrics =
    config.metricsPort === 0 ? undefined : await serveMetrics(platform.metrics, config.host, config.metricsPort);
  if (first !== undefined) tell({ type: "first-admin", ...first }, `First sign-in: ${first.email} ${first.password}`);
  tell({ type: "ready", url }, `Attune on ${url}`);
  const stop = async (): Promise<void> => {
    await platform.close();
    await metrics?.close();
  };
  onShutdown(stop, { isUsualEnd: true });
  return status.done;
}

/** To the supervisor that started it, else to whoever reads its output. */
function tell(message: SupervisorMessage, text: string): void {
  if (!tellSupervisor(message)) process.stdout.write(`${text}\n`);
}

async function withDatabase(
  config: PlatformConfig,
  logger: Logger,
  work: (database: Database) => Promise<number>,
): Promise<number> {
  const database = createDatabase(config.database, logger);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function printChains({ queries }: Database): Promise<number> {
  let faults = 0;
  for await (const { chain, lines, hash, fault } of verifyLog(queries)) {
    if (fault !== undefined) faults++;
    process.stdout.write(
      `${fault === undefined ? "ok  " : "FAIL"} ${chain}: ${lines} lines, ${hash}${fault ? `; ${fault}` : ""}\n`,
    );
  }
  return faults === 0 ? status.done : status.failed;
}

async function rotate({ secretKeys }: PlatformConfig, database: Database): Promise<number> {
  const { resealed, unreadable } = await rotateSecrets(database, createSecretBox(openSecretKeys(secretKeys)));
  process.stdout.write(`${resealed} secrets are encrypted with the present key.\n`);
  for (const id of unreadable) process.stderr.write(`No key opens the secret of the model ${id}; enter it again.\n`);
  return unreadable.length === 0 ? status.done : status.failed;
}

async function unlink({ queries }: Database, email: string): Promise<number> {
  const count = await unlinkIdentities(queries, email);
  process.stdout.write(`${count} identities of ${email} are forgotten.\n`);
  return count > 0 ? status.done : status.failed;
}

async function reset(database: Database, email: string): Promise<number> {
  const password = await resetPasswordOf(database, email);
  if (password === undefined) {
    process.stderr.write(`There is no user with the address ${email}.\n`);
    return status.failed;
  }
  process.stdout.write(`${password}\n`);
  return status.done;
}
