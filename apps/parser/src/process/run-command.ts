import type { ChildProcessByStdio } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Command, CommandResult, RunCommand } from "../engines/run-command.ts";
import { commandSandboxFlags, findCommandSandbox } from "./command-sandbox.ts";
import { findProgram, usualPath } from "./find-program.ts";
import { createGroupGuard, type GroupGuard } from "./group-guard.ts";
import { killGroup } from "./kill-group.ts";
import { findLimitTools, limitCommand, type LimitTools } from "./limit-command.ts";
import { startProcess } from "./start-process.ts";
import { createTextTail } from "./text-tail.ts";
import { createTurns } from "./turns.ts";

export interface RunCommandDeps {
  /** PATH for finding programs and for the programs themselves. */
  readonly path?: string;
  readonly guard?: GroupGuard;
  /** Folder in which each command gets a HOME and TMPDIR of its own, removed when it ends; the system's when absent. */
  readonly workFolder?: string;
  /** How many commands may run at once, probes not counted; 2 when absent. */
  readonly concurrency?: number;
  /** Folders of which a sandboxed command sees nothing but its own files, for example the one of fetched files. */
  readonly hiddenPaths?: readonly string[];
}

const stderrBytes = 8192;
/** How long output may stay open after the group was killed; only a process that left the group can hold it. */
const closeGraceMs = 1000;

/**
 * Makes the `RunCommand` of the engines. Each command has an empty home of its own, and an environment of PATH, HOME, TMPDIR,
 * LANG and what is given. When it ends, in whatever way, what is left of its process group is killed.
 */
export function createRunCommand({
  path = usualPath,
  guard = createGroupGuard(),
  workFolder = tmpdir(),
  concurrency = 2,
  hiddenPaths = [],
}: RunCommandDeps = {}): RunCommand {
  // Looked for now, when there is nothing to be short of: what is not found is done without from then on.
  const findingTools = findTools();
  const turns = createTurns(concurrency);
  const machine = { path, guard, workFolder, hiddenPaths, findingTools };
  return async (command, signal) => {
    signal.throwIfAborted();
    const askedAtMs = performance.now();
    const leave = command.isProbe === true ? () => undefined : await turns.take(signal);
    const waitedMs = performance.now() - askedAtMs;
    try {
      return { ...(await run(command, machine, signal)), waitedMs };
    } finally {
      leave();
    }
  };
}

interface Tools extends LimitTools {
  readonly bwrap: string | undefined;
}

async function findTools(): Promise<Tools> {
  const [tools, bwrap] = await Promise.all([findLimitTools(), findCommandSandbox()]);
  return { ...tools, bwrap };
}

interface Machine extends Required<Omit<RunCommandDeps, "concurrency">> {
  readonly findingTools: Promise<Tools>;
}

type Ended = Omit<CommandResult, "waitedMs">;

async function run(command: Command, machine: Machine, signal: AbortSignal): Promise<Ended> {
  const { path, workFolder, guard } = machine;
  const program = await findProgram(command.file, path);
  if (program === undefined) {
    throw new AppError("ENGINE_UNAVAILABLE", { detail: `The program ${basename(command.file)} was not found.` });
  }
  const tools = await machine.findingTools;
  const home = await mkdtemp(join(workFolder, "command-"));
  try {
    signal.throwIfAborted();
    const argv = commandLine({ command, program, home, hidden: machine.hiddenPaths }, tools);
    const env = { PATH: path, HOME: home, TMPDIR: home, LANG: "C.UTF-8", ...command.env };
    const child = startCommand(argv, { env, cwd: command.cwd ?? home });
    return await watch({ child, command, guard }, signal);
  } finally {
    await rm(home, { recursive: true, force: true }).catch(() => undefined);
  }
}

interface CommandPlaces {
  readonly command: Command;
  readonly program: string;
  readonly home: string;
  readonly hidden: readonly string[];
}

function commandLine({ command, program, home, hidden }: CommandPlaces, tools: Tools): readonly string[] {
  const { memoryMib, maxFileBytes, files, args, cwd = home } = command;
  const limits = { ...(memoryMib !== undefined && { memoryMib }), ...(maxFileBytes !== undefined && { maxFileBytes }) };
  const { bwrap, prlimit } = tools;
  if (files === undefined || bwrap === undefined) return limitCommand([program, ...args], limits, tools);
  const writable = [home, ...files.writable];
  const flags = commandSandboxFlags({ program, workingFolder: cwd, hidden, readable: files.readable, writable });
  // Without setpriv: bwrap sees to the death with us itself, and where it is a set-user-ID program it needs its rights.
  return limitCommand([bwrap, ...flags, program, ...args], limits, prlimit === undefined ? {} : { prlimit });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function startCommand(argv: readonly string[], options: { env: Record<string, string>; cwd: string }): Child {
  try {
    return startProcess(argv, { ...options, stdio: ["pipe", "pipe", "pipe"] }) as Child;
  } catch (error) {
    throw new AppError("ENGINE_UNAVAILABLE", { detail: "No program can be started at present." }, error);
  }
}

interface Running {
  readonly child: Child;
  readonly command: Command;
  readonly guard: GroupGuard;
}

async function watch({ child, command, guard }: Running, signal: AbortSignal): Promise<Ended> {
  const stop = () => killGroup(child.pid);
  const output = collectOutput(child, command.maxOutputBytes, stop);
  const stderr = createTextTail(stderrBytes);
  child.stderr.on("data", (chunk: Uint8Array) => stderr.add(chunk));
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    stop();
  }, command.timeoutMs);
  signal.addEventListener("abort", stop);
  if (child.pid !== undefined) guard.add(child.pid);
  try {
    // A program may end, or close its input, before it has read everything; that is its right.
    child.stdin.end(command.stdin ?? new Uint8Array());
    const end = await waitForEnd(child, guard);
    signal.throwIfAborted();
    const name = basename(command.file);
    if (end.error !== undefined) {
      throw new AppError("ENGINE_UNAVAILABLE", { detail: `The program ${name} could not be started.` }, end.error);
    }
    if (output.isOver()) {
      throw new AppError("LIMIT_EXCEEDED", { detail: `${name} wrote more than ${command.maxOutputBytes} bytes.` });
    }
    return { exitCode: end.code, signal: end.signal, stdout: output.read(), stderr: stderr.read(), isTimedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function collectOutput(child: Child, maxBytes: number, stop: () => void) {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  child.stdout.on("data", (chunk: Uint8Array) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) stop();
    else chunks.push(chunk);
  });
  return { isOver: () => sizeBytes > maxBytes, read: (): Uint8Array => Buffer.concat(chunks) };
}

interface CommandEnd {
  readonly code?: number;
  readonly signal?: string;
  readonly error?: Error;
}

function waitForEnd(child: Child, guard: GroupGuard): Promise<CommandEnd> {
  return new Promise((resolve) => {
    let end: CommandEnd = {};
    child.once("error", (error) => {
      end = { error };
      if (child.pid === undefined) resolve(end);
    });
    child.once("exit", (code, signal) => {
      end = { ...(code !== null && { code }), ...(signal !== null && { signal }) };
      killGroup(child.pid);
      if (child.pid !== undefined) guard.remove(child.pid);
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve(end);
      }, closeGraceMs).unref();
    });
    child.once("close", () => {
      resolve(end);
    });
  });
}
