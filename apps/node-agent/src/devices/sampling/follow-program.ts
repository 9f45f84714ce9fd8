import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { FamilyGuard } from "../../process/guard-family.ts";
import { createLineCutter } from "../../process/line-cutter.ts";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/** How a program ended, with the last of what it said beside its lines. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Of the system, when it could not be started: `ENOENT`. */
  readonly startError: string | null;
  readonly lastLines: readonly string[];
}

export interface FollowOptions {
  /** Unique among all that the guard knows. */
  readonly id: string;
  readonly guard: FamilyGuard;
  /** Asked before every start. What it throws counts as the end of a program. */
  readonly prepare: () => Promise<Command>;
  /** @returns whether it understood the line; others are kept as what the program said when it ended. */
  readonly onLine: (line: string) => boolean;
  readonly onEnd: (end: ProgramEnd | Error) => void;
  /** Pause before the first new start; doubled each time up to a minute, and back when the program lived long. */
  readonly firstPauseMs?: number;
}

export interface Followed {
  /** Milliseconds since the present program was started; 0 while none runs. */
  runningForMs(): number;
  /** Kills it, and resolves when it has ended, or after five seconds when the kernel holds it back. */
  stop(): Promise<void>;
}

const longestPauseMs = 60_000;
const longLifeMs = 30_000;
const longestEndMs = 5000;
const maxLineBytes = 64 * 1024;
const keptLines = 5;

/** Keeps a program running and reads its lines. It ends with the agent, however that ends. */
export function followProgram(options: FollowOptions): Followed {
  const { prepare, onEnd, firstPauseMs = 1000 } = options;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let childSinceMs = 0;
  let pauseMs = firstPauseMs;

  async function runOnce(): Promise<void> {
    const startedAtMs = performance.now();
    try {
      const command = await prepare();
      if (stopping.signal.aborted) return;
      const end = await run(command, options, (started) => {
        child = started;
        childSinceMs = performance.now();
      });
      if (!stopping.signal.aborted) onEnd(end);
    } catch (error) {
      if (!stopping.signal.aborted) onEnd(error instanceof Error ? error : new Error(String(error)));
    }
    if (performance.now() - startedAtMs > longLifeMs) pauseMs = firstPauseMs;
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runOnce();
      child = undefined;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }

  const ended = keepRunning();
  return {
    runningForMs: () => (child === undefined ? 0 : performance.now() - childSinceMs),
    async stop() {
      stopping.abort();
      if (child !== undefined) killGroup(child);
      await Promise.race([ended, sleep(longestEndMs, undefined, { ref: false })]);
    },
  };
}

function run({ program, args }: Command, options: FollowOptions, onStart: (child: ChildProcess) => void) {
  const { id, guard, onLine } = options;
  return new Promise<ProgramEnd>((resolve) => {
    const lastLines: string[] = [];
    const keep = (line: string): void => {
      lastLines.push(line.slice(0, 1000));
      if (lastLines.length > keptLines) lastLines.shift();
    };
    const started = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
    let startError: string | null = null;
    started.once("error", (error: NodeJS.ErrnoException) => {
      startError = error.code ?? error.message;
    });
    started.once("close", (code, signal) => {
      guard.remove(id);
      resolve({ code, signal, startError, lastLines });
    });
    readLines(started.stdout, (line) => {
      if (!onLine(line)) keep(line);
    });
    readLines(started.stderr, keep);
    if (started.pid !== undefined) guard.add(id, started.pid);
    onStart(started);
  });
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const cutter = createLineCutter(maxLineBytes);
  stream.on("data", (piece: Buffer) => {
    for (const { text } of cutter.cut(piece, 0)) if (text.trim() !== "") onLine(text.trim());
  });
  stream.on("end", () => {
    const rest = cutter.rest(0)?.text.trim();
    if (rest) onLine(rest);
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
