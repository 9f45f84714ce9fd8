#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "@attune/service-kit/load-config.ts";
import { type CliConfig, loadConfig } from "./config.ts";
import { runDoctor } from "./doctor/run-doctor.ts";
import { verifyStorage } from "./doctor/verify-storage.ts";
import { type CliCommand, helpText, readArguments } from "./read-arguments.ts";
import { repositoryFolder } from "./repository.ts";
import { runReset } from "./reset/run-reset.ts";
import { runUp } from "./up/run-up.ts";

/** Repeats of the first signal that come with it, as npm passes Ctrl-C on, are not a second one. */
const repeatMs = 1000;

const status = { done: 0, failed: 1, badUsage: 2 } as const;

process.exitCode = await run(readArguments(process.argv.slice(2))).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ConfigError ? status.badUsage : status.failed;
});

async function run(command: CliCommand): Promise<number> {
  if (command.name === "help") {
    if (command.fault === undefined) process.stdout.write(helpText);
    else process.stderr.write(`${command.fault}\n\n${helpText}`);
    return command.fault === undefined ? status.done : status.badUsage;
  }
  const environmentFile = join(repositoryFolder, ".env");
  if (existsSync(environmentFile)) process.loadEnvFile(environmentFile);
  const config = loadConfig(process.env, repositoryFolder);
  return runConfigured(command, config, abortOnSignal());
}

async function runConfigured(
  command: Exclude<CliCommand, { name: "help" }>,
  config: CliConfig,
  signal: AbortSignal,
): Promise<number> {
  const request = { config, environment: process.env, write };
  if (command.name === "doctor") return (await runDoctor(request, signal)) ? status.done : status.failed;
  if (command.name === "doctor-storage")
    return (await verifyStorage(request, signal)) === 0 ? status.done : status.failed;
  if (command.name === "reset") write(await runReset(config.dataFolder, command.isConfirmed));
  else await runUp(request, signal);
  return status.done;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

// A second signal ends this process at once; the services and the database notice, and end by themselves.
function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  let firstMs: number | undefined;
  const handle = (): void => {
    firstMs ??= performance.now();
    if (performance.now() - firstMs > repeatMs) process.exit(status.failed);
    controller.abort();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, handle);
  // Whoever read the output is gone; what runs is not to end because of that.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  return controller.signal;
}
