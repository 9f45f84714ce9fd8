import type { ChildProcess } from "node:child_process";
import type { Duplex, Readable, Writable } from "node:stream";
import { bubblewrapFlags, seccompDescriptor } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";
import { findLimitTools, limitCommand, type KernelLimits, type LimitTools } from "./limit-command.ts";
import { measureReservedMemory } from "./measure-reserved-memory.ts";
import { createSeccompFilter, isFiltered } from "./seccomp-filter.ts";
import { startProcess } from "./start-process.ts";

/**
 * How far a worker process is fenced in. `none`: only its JavaScript heap is bounded, and Node's permission model refuses
 * files and programs. `process`: also memory, files and core dumps by the kernel, no new rights, and it dies with us.
 * `bubblewrap`: also no network, no other processes, and only the files it needs, behind a seccomp filter.
 */
export const isolationLevels = ["none", "process", "bubblewrap"] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

export interface SandboxSettings {
  /** What each process may use beyond what Node itself reserves, enforced by the kernel on its data segment. */
  readonly memoryMib: number;
  /** Files and folders that the program reads, absolute. */
  readonly readablePaths: readonly string[];
  /** Folder of Node's compile cache, which is written only at level `none`. */
  readonly compileCacheFolder?: string;
  /** The Node that runs the programs. */
  readonly nodePath: string;
}

/** What a level needs from the machine; undefined where it is missing. */
export interface SandboxTools extends LimitTools {
  readonly bwrap?: string;
  /** What a Node process counts as data before it has done anything. */
  readonly reservedMib: number;
}

/** A Node program behind the fence: silent but for its last words on `stderr`, spoken to over `channel`. */
export interface SandboxedProcess {
  readonly child: ChildProcess;
  readonly stderr: Readable;
  /** Descriptor 3 of the program. */
  readonly channel: Duplex;
}

export interface Sandbox {
  readonly level: IsolationLevel;
  /** Starts `node ARGS`; throws what `startProcess` throws. */
  spawnNode(args: readonly string[]): SandboxedProcess;
}

/** Finds on this machine what the levels need. */
export async function findSandboxTools(nodePath: string): Promise<SandboxTools> {
  if (process.platform !== "linux") return { reservedMib: 0 };
  const [tools, bwrap, reservedMib] = await Promise.all([
    findLimitTools(),
    findProgram("bwrap"),
    measureReservedMemory(nodePath),
  ]);
  return { ...tools, reservedMib, ...(bwrap !== undefined && { bwrap }) };
}

/** The heap is bounded below the kernel's cap, so that V8 ends with a clear message before an allocation is refused. */
const heapShare = 0.6;

export function createSandbox(level: IsolationLevel, settings: SandboxSettings, tools: SandboxTools): Sandbox {
  const filter = level === "bubblewrap" && isFiltered(process.arch) ? createSeccompFilter(process.arch) : undefined;
  const env = environmentOf(settings);
  const launch = launcher(level, settings, tools);
  return {
    level,
    spawnNode: (args) => {
      const child = startProcess([...launch, ...nodeFlags(settings), ...args], {
        cwd: "/",
        env,
        stdio: ["ignore", "ignore", "pipe", "pipe", ...(filter === undefined ? [] : ["pipe" as const])],
      });
      if (filter !== undefined) sendFilter(child, filter);
      return { child, stderr: child.stdio[2] as Readable, channel: child.stdio[3] as Duplex };
    },
  };
}

function environmentOf({ compileCacheFolder }: SandboxSettings): Readonly<Record<string, string>> {
  const cache = compileCacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: compileCacheFolder };
  return { LANG: "C.UTF-8", TZ: "UTC", ...cache };
}

function launcher(level: IsolationLevel, settings: SandboxSettings, tools: SandboxTools): readonly string[] {
  const { memoryMib, nodePath } = settings;
  const limits: KernelLimits = { memoryMib: memoryMib + tools.reservedMib, maxOpenFiles: 64, maxFileBytes: 0 };
  if (level === "none") return [nodePath];
  if (level === "process") return limitCommand([nodePath], limits, tools);
  const { prlimit, bwrap = "bwrap" } = tools;
  const files = { program: nodePath, paths: foldersOf(settings) };
  const flags = bubblewrapFlags(files, environmentOf(settings), isFiltered(process.arch));
  // Without setpriv: bwrap sees to the death with us itself, and where it is a set-user-ID program it needs its rights.
  return limitCommand([bwrap, ...flags, nodePath], limits, prlimit === undefined ? {} : { prlimit });
}

const foldersOf = ({ readablePaths, compileCacheFolder }: SandboxSettings) =>
  compileCacheFolder === undefined ? readablePaths : [...readablePaths, compileCacheFolder];

// Node leaves its cache alone unless it may write there; the kernel sees to it that it cannot.
function nodeFlags(settings: SandboxSettings): string[] {
  const { memoryMib, compileCacheFolder } = settings;
  return [
    `--max-old-space-size=${Math.floor(memoryMib * heapShare)}`,
    // Trees of a document die young: with little room they are copied into the old space first. Twice this room spares no
    // time that can be measured, and makes a worker larger by what it adds.
    `--max-semi-space-size=${Math.min(16, Math.max(1, Math.floor(memoryMib / 32)))}`,
    // No reader makes code out of text; one that is tricked into it cannot.
    "--disallow-code-generation-from-strings",
    "--permission",
    ...foldersOf(settings).map((path) => `--allow-fs-read=${path}`),
    ...(compileCacheFolder === undefined ? [] : [`--allow-fs-write=${compileCacheFolder}`]),
  ];
}

// bwrap reads its filter to the end before it starts the program; if it dies earlier, its exit tells why.
function sendFilter(child: ChildProcess, filter: Buffer): void {
  const pipe = child.stdio[seccompDescriptor] as Writable | undefined;
  pipe?.end(filter);
}
