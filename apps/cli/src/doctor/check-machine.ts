import { existsSync, mkdtempSync, readFileSync, rmdirSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CliConfig } from "../config.ts";
import { repositoryFolder } from "../repository.ts";
import type { Check } from "./check.ts";

const gib = 1 << 30;
const leastFreeBytes = gib / 2;
const plentyFreeBytes = 5 * gib;
/** A service of an earlier start that is just ending keeps its port for so long. */
const portWaitMs = 10_000;

/** What must be so wherever Attune starts. */
export function checkMachine({ dataFolder }: CliConfig): readonly Check[] {
  return [
    checkVersion(),
    checkNode(process.versions.node),
    checkFolder(dataFolder),
    checkDisk(freeBytes(dataFolder), dataFolder),
  ];
}

function checkVersion(): Check {
  const { version } = JSON.parse(readFileSync(join(repositoryFolder, "package.json"), "utf8")) as { version: string };
  return { state: "ok", text: `Attune ${version} on ${process.platform} ${process.arch}.` };
}

export function checkNode(version: string): Check {
  const isEnough = Number(version.split(".")[0]) >= 24;
  if (isEnough) return { state: "ok", text: `Node ${version}.` };
  return {
    state: "fail",
    text: `Node ${version} is older than 24.`,
    remedy: "Start with `npm start`, which takes the Node that `npm ci` brings, or install Node 24.",
  };
}

export function checkFolder(folder: string): Check {
  const existing = nearestExisting(folder);
  try {
    // Tried, since rights alone do not tell: the file system may be read-only, or no folder at all.
    rmdirSync(mkdtempSync(join(existing, ".attune-check-")));
    return { state: "ok", text: `The data folder ${folder} is writable.` };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return {
      state: "fail",
      text: `The data folder ${folder} cannot be written: nothing can be made in ${existing} (${code}).`,
      remedy: "Give it to this user, or set ATTUNE_DATA_DIR to another folder.",
    };
  }
}

export function checkDisk(bytes: number, folder: string): Check {
  const text = `${(bytes / gib).toFixed(1)} GiB of disk space are free for ${folder}.`;
  const remedy = "Free some, or set ATTUNE_DATA_DIR to a folder on another disk.";
  if (bytes < leastFreeBytes) return { state: "fail", text, remedy };
  return bytes < plentyFreeBytes ? { state: "warn", text, remedy } : { state: "ok", text };
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(folder));
  return bavail * bsize;
}

function nearestExisting(folder: string): string {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

/** Whether the ports are free; ones in use are waited for. */
export async function checkPorts(
  { host, port, parserPort, nodePort }: CliConfig,
  waitMs = portWaitMs,
): Promise<readonly Check[]> {
  return Promise.all([
    checkPort({ host, port, setting: "ATTUNE_PORT", use: "the web app" }, waitMs),
    checkPort({ host: "127.0.0.1", port: parserPort, setting: "ATTUNE_PARSER_PORT", use: "the parser" }, waitMs),
    checkPort({ host: "127.0.0.1", port: nodePort, setting: "ATTUNE_NODE_PORT", use: "the node agent" }, waitMs),
  ]);
}

interface PortUse {
  readonly host: string;
  readonly port: number;
  readonly setting: string;
  readonly use: string;
}

async function checkPort({ host, port, setting, use }: PortUse, waitMs: number): Promise<Check> {
  for (const endMs = performance.now() + waitMs; ; await sleep(100)) {
    const fault = await tryPort(host, port);
    if (fault === undefined) return { state: "ok", text: `Port ${port} is free for ${use}.` };
    if (fault === "EADDRINUSE" && performance.now() < endMs) continue;
    const text = `Port ${port} of ${host}, for ${use}, ${fault === "EADDRINUSE" ? "is in use" : `cannot be used (${fault})`}.`;
    return { state: "fail", text, remedy: `Stop the program that has it, or set ${setting} to another port.` };
  }
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
