#!/usr/bin/env node
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "@attune/service-kit/load-config.ts";
import { createLogger, type Logger } from "@attune/service-kit/create-logger.ts";
import { exitWithParent } from "@attune/service-kit/exit-with-parent.ts";
import { onShutdown } from "@attune/service-kit/on-shutdown.ts";
import { tellSupervisor } from "@attune/service-kit/supervisor-messages.ts";
import { assembleParser, type Parser } from "./assemble-parser.ts";
import { explainPage } from "./cli/explain-page.ts";
import { parseFiles } from "./cli/parse-files.ts";
import { printEngines, printFormats } from "./cli/print-lists.ts";
import { type CliCommand, helpText, readArguments } from "./cli/read-arguments.ts";
import { loadConfig, type ParserConfig } from "./config.ts";
import type { ParseRecord } from "./pipeline/parse-record.ts";
import { type RunningService, serve } from "./serve.ts";

const status = { done: 0, failed: 1, badUsage: 2 } as const;

const called = readArguments(process.argv.slice(2));
process.exitCode = await run(called).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof ConfigError ? status.badUsage : status.failed;
});
// The channel to a supervisor, or a sweep, would keep alive what does not serve, and it would never be started again.
if (called.name === "serve" && process.exitCode !== status.done) {
  process.stderr.write("", () => process.exit());
}

async function run(command: CliCommand): Promise<number> {
  if (command.name === "help") return help(command.fault);
  loadEnvironmentFile();
  const config = loadConfig(process.env);
  if (command.name === "serve") return runService(config);
  // Whoever runs a command wants its result, not the life of its workers.
  const logger = createLogger("docparser", config.logLevel === "debug" ? "debug" : "error");
  const parser = await assembleParser(forOneUser(config), logger);
  const controller = new AbortController();
  const stop = async (): Promise<void> => {
    controller.abort();
    await parser.close(0);
  };
  onShutdown(stop, { isUsualEnd: false });
  endQuietlyOnClosedPipe(stop);
  try {
    return await runOnce(command, { parser, logger }, controller.signal);
  } finally {
    await parser.close(0);
  }
}

// The repository's own file, never one of the folder that a command runs in, which may lie among hostile documents.
function loadEnvironmentFile(): void {
  const path = join(import.meta.dirname, "../../../.env");
  if (existsSync(path)) process.loadEnvFile(path);
}

function help(fault: string | undefined): number {
  if (fault === undefined) process.stdout.write(helpText);
  else process.stderr.write(`${fault}\n\n${helpText}`);
  return fault === undefined ? status.done : status.badUsage;
}

async function runService(config: ParserConfig): Promise<number> {
  let running: RunningService | undefined;
  exitWithParent(async () => running?.stop());
  const service = await serve(config, createLogger("docparser", config.logLevel));
  running = service;
  process.stdout.write(`docparser.DocumentParser on ${service.address}\n`);
  tellSupervisor({ type: "ready", url: `grpc://${service.address}` });
  onShutdown(() => service.stop(), { isUsualEnd: true });
  return status.done;
}

// Whoever types a path may read the file anyway, and parses one document after the other.
function forOneUser(config: ParserConfig): ParserConfig {
  return {
    ...config,
    fetch: { ...config.fetch, fileRoots: ["/"], isHardLinkAllowed: true },
    workers: { ...config.workers, count: 1 },
  };
}

interface Tools {
  readonly parser: Parser;
  readonly logger: Logger;
}

async function runOnce(
  command: Exclude<CliCommand, { name: "help" | "serve" }>,
  { parser, logger }: Tools,
  signal: AbortSignal,
): Promise<number> {
  if (command.name === "parse") {
    const writeError = (text: string): void => void process.stderr.write(text);
    const onFailure = ({ reason, cause }: ParseRecord): void => {
      if (cause === undefined) return;
      if (reason === "INTERNAL") logger.error({ err: cause }, "a fault of the program");
      else logger.debug({ err: cause }, "why it was not parsed");
    };
    return parseFiles(command, { parseDocument: parser.parseDocument, writeOut, writeError, onFailure }, signal);
  }
  if (command.name === "explain") {
    const writeError = (text: string): void => void process.stderr.write(text);
    return explainPage(command, { read: parser.pool.read, writeOut, writeError }, signal);
  }
  const text =
    command.name === "formats"
      ? await formatsText(command, parser, signal)
      : await enginesText(command, parser, signal);
  await writeOut(text);
  return status.done;
}

async function formatsText({ isJson }: { isJson: boolean }, parser: Parser, signal: AbortSignal): Promise<string> {
  const formats = await parser.listFormats(signal);
  return isJson ? `${JSON.stringify(formats)}\n` : printFormats(formats);
}

async function enginesText({ isJson }: { isJson: boolean }, parser: Parser, signal: AbortSignal): Promise<string> {
  const engines = await parser.listEngines(signal);
  return isJson ? `${JSON.stringify(engines)}\n` : printEngines(engines);
}

// A reader that has seen enough, such as `head`, closes the pipe; that is no fault.
function endQuietlyOnClosedPipe(stop: () => Promise<void>): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.stderr.write(`The output cannot be written: ${error.message}\n`);
    void stop().finally(() => process.exit(error.code === "EPIPE" ? 0 : status.failed));
  });
}

/** Waits until the text is on its way, so that a pipe gets all of it before the process ends. */
function writeOut(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      // A closed pipe has a listener of its own, which ends the process.
      else if (!("code" in error) || error.code !== "EPIPE") reject(error);
    });
  });
}
