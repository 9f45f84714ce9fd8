/**
 * The program that starts the processes of a detached run and outlives the agent: `launcher.ts FOLDER RUN_ID MEMORY_BYTES
 * EVENTS_BYTES PROGRAM ARG…`. It leads the run's process group, writes who it is to `launcher.json` before anything is started,
 * keeps `run.log` and `events.ndjson` within their bounds and the processes within theirs of memory (0: none), and writes how the
 * program ended to `exit.json` before it ends what the program left behind.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEventBounder, eventPaths, isBeyondHelp } from "./bound-events.ts";
import { createLogBounder } from "./bound-log.ts";
import { listFamily, sendSignal } from "./end-group.ts";
import type { ExitRecord } from "./exit-record.ts";
import { createMemoryWatch, type MemoryExcess } from "./memory-watch.ts";
import { identifyProcess } from "./process-identity.ts";
import { readProcesses } from "./read-processes.ts";

const [folder = ".", runId = "", memoryBytes = "0", eventsBytes = "0", program = "", ...args] = process.argv.slice(2);
const checkMs = 250;
const memoryCheckMs = 100;
const strayGraceMs = 1000;

/** The end of the group is told to all of its members; this one stays to write down how the program ended. */
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);

async function main(): Promise<void> {
  writeWhole("launcher.json", JSON.stringify(identifyProcess(process.pid)));
  reserveExitRecord();
  const oomBefore = readOomKills();
  const stopBounding = boundFiles();
  const stopWatching = boundMemory();
  const { code, signal, error } = await run();
  stopBounding();
  stopWatching();
  await writeExitRecord({
    code,
    signal,
    ended_at: new Date().toISOString(),
    spawn_error: error?.message ?? null,
    is_flood: isFlood,
    memory_excess: memoryExcess,
    oom_kill: oomBefore === undefined ? null : (readOomKills() ?? 0) > oomBefore,
  });
  await endStrays();
  process.exitCode = code ?? 1;
}

let isFlood = false;
let memoryExcess: MemoryExcess | null = null;
let child: ChildProcess | undefined;

/** Where not even this keeps the events small, the program is ended before they fill the disk. */
function boundFiles(): () => void {
  const maxBytes = Number(eventsBytes);
  const paths = eventPaths(folder);
  const log = createLogBounder(join(folder, "run.log"));
  const events = createEventBounder(paths, maxBytes);
  const timer = setInterval(() => {
    void log.check();
    void events.check();
    if (isFlood || !isBeyondHelp(paths, maxBytes)) return;
    isFlood = true;
    child?.kill("SIGKILL");
  }, checkMs);
  return () => clearInterval(timer);
}

/** Processes that together hold more memory than they may are all ended, as the kernel does where a control group has a limit. */
function boundMemory(): () => void {
  if (memoryBytes === "0") return () => undefined;
  const family = { runId, leader: identifyProcess(process.pid) };
  const listMembers = () => listFamily(family);
  const watch = createMemoryWatch({ limitBytes: Number(memoryBytes), listMembers });
  const timer = setInterval(() => {
    const excess = watch.check();
    if (excess === undefined) return;
    memoryExcess ??= excess;
    for (const pid of listMembers()) sendSignal(pid, "SIGKILL");
  }, memoryCheckMs);
  return () => clearInterval(timer);
}

interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error: Error | undefined;
}

function run(): Promise<Ending> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ code: null, signal: null, error });
    try {
      child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], cwd: folder });
      child.once("error", fail);
      child.once("exit", (code, signal) => resolve({ code, signal, error: undefined }));
    } catch (error) {
      fail(error as Error);
    }
  });
}

const exitBytes = 512;
const exitPart = join(folder, "exit.json.part");

/** Space for the record is taken now, so that a disk that is full at the end cannot keep it from being written. */
function reserveExitRecord(): void {
  writeWhole("exit.json.part", " ".repeat(exitBytes));
}

async function writeExitRecord(record: ExitRecord): Promise<void> {
  const text = JSON.stringify({ ...record, spawn_error: record.spawn_error?.slice(0, 200) ?? null }).padEnd(exitBytes);
  for (let attempt = 0; attempt < 60; attempt++) {
    try {
      const file = openSync(exitPart, "r+");
      writeSync(file, text, 0);
      fsyncSync(file);
      closeSync(file);
      renameSync(exitPart, join(folder, "exit.json"));
      return;
    } catch (error) {
      writeSync(2, `launcher: exit.json cannot be written: ${(error as Error).message}\n`);
      await sleep(1000);
    }
  }
}

function writeWhole(name: string, text: string): void {
  const path = join(folder, name);
  const file = openSync(`${path}.new`, "w", 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
}

/** What the program started and did not end: it has a moment to see that its parent is gone, then the group is killed. */
async function endStrays(): Promise<void> {
  const hasStrays = () => readProcesses().some(({ groupId, pid }) => groupId === process.pid && pid !== process.pid);
  const endMs = performance.now() + strayGraceMs;
  while (hasStrays()) {
    if (performance.now() > endMs) process.kill(-process.pid, "SIGKILL");
    await sleep(50);
  }
}

/** How many processes of our control group the kernel has ended for want of memory; undefined where it does not tell. */
function readOomKills(): number | undefined {
  try {
    const groups = readFileSync("/proc/self/cgroup", "utf8");
    const unified = /^0::(.*)$/m.exec(groups)?.[1] ?? "/";
    const memory = /^\d+:[^:]*\bmemory\b[^:]*:(.*)$/m.exec(groups)?.[1];
    const path =
      memory === undefined
        ? join("/sys/fs/cgroup", unified, "memory.events")
        : join("/sys/fs/cgroup/memory", memory, "memory.oom_control");
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(path, "utf8"))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

await main();
