import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import type { IsolationLevel } from "../../process/sandbox.ts";
import { createWorkerPool, type WorkerPool } from "../create-worker-pool.ts";
import type { WorkerPoolSettings } from "../pool-settings.ts";
import { plainOptions } from "./parse-options.ts";

export const misbehavingEntry = fileURLToPath(new URL("./misbehaving-worker.ts", import.meta.url));
export const unstartableEntry = fileURLToPath(new URL("./unstartable-worker.ts", import.meta.url));
export const testMemoryMib = 512;
export const noSignal = new AbortController().signal;
export const limitsWithin = (timeoutMs: number) => ({ ...defaultLimits, timeoutMs });

/** A pool for tests whose workers do what the file name of a document says. */
export interface PoolHarness {
  readonly pool: WorkerPool;
  /** All that was logged, as JSON. */
  readonly log: () => string;
  /** Has a worker do something, `name` or `name=argument`, and gives its text. */
  readonly act: (action: string, signal?: AbortSignal) => Promise<string>;
}

export async function startHarness(
  level: IsolationLevel,
  settings: Partial<WorkerPoolSettings> = {},
): Promise<PoolHarness> {
  const lines: object[] = [];
  const keep = (facts: object, message: string) => lines.push({ ...facts, message });
  const logger = { debug: keep, warn: keep };
  const given = { workers: 1, memoryMib: testMemoryMib, warmFormats: [], workerEntry: misbehavingEntry, ...settings };
  const pool = await createWorkerPool(given, { level, logger });
  return {
    pool,
    log: () => JSON.stringify(lines),
    act: async (fileName, signal = noSignal) => {
      const input = { bytes: new Uint8Array(1), fileName, format: "txt" };
      return Buffer.from((await pool.read(input, plainOptions, signal)).content).toString();
    },
  };
}

/** The reason of an AppError, or whatever else was thrown. */
export async function reasonOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "no failure",
    (error: unknown) => (error instanceof AppError ? error.reason : error),
  );
}

export async function until(holds: () => boolean, timeoutMs = 5000): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${timeoutMs} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Pids of the Node processes below `ancestor` that run the misbehaving worker; the launchers around them are left out. */
export function findWorkers(ancestor: number = process.pid): number[] {
  return findDescendants(ancestor).filter((pid) => {
    const command = readProcessFile(pid, "cmdline");
    return command.startsWith(process.execPath) && command.includes(misbehavingEntry);
  });
}

/** Pids of everything that this process started, and what that started. */
export function findDescendants(ancestor: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const stat = readProcessFile(Number(name), "stat");
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === ancestor || (parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

/** Empty when the process has ended. */
export function readProcessFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
