import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { createWorkerPool } from "../../apps/parser/src/isolation/create-worker-pool.ts";
import { plainOptions } from "../../apps/parser/src/isolation/testing/parse-options.ts";
import { findDescendants, readProcessFile } from "../../apps/parser/src/isolation/testing/pool-harness.ts";
import { defaultLimits } from "../../apps/parser/src/limits/default-limits.ts";

export interface WorkerFigures {
  /** Most resident memory of the worker when it was ready, and when it had answered. */
  readonly readyMib: number;
  readonly peakMib: number;
  /** User and system time of the worker for the document. */
  readonly cpuMs: number;
  /** The text, UTF-8. */
  readonly content: Uint8Array;
}

const timeoutMs = 600_000;
const options = { ...plainOptions, ocr: "never" } as const;

/** Has a fresh worker of the service read a PDF that lies on disk, as the service does. */
export async function measureWorker(path: string): Promise<WorkerFigures> {
  const limits = { ...defaultLimits, timeoutMs };
  const settings = { workers: 1, isCompiledAhead: true, recycleAboveMib: 65_536, limits, maxTimeoutMs: timeoutMs };
  const pool = await createWorkerPool(settings, { level: "process" });
  try {
    const read = (input: Parameters<typeof pool.read>[0]) => pool.read(input, options, new AbortController().signal);
    await read({ bytes: Buffer.from("A worker starts when it is wanted."), fileName: "", format: "txt" });
    const before = figuresOf(findWorker());
    const input = { bytes: storedOn(path), fileName: basename(path), format: "pdf" };
    const { content } = await read(input);
    const after = figuresOf(findWorker());
    return { readyMib: before.peakMib, peakMib: after.peakMib, cpuMs: after.cpuMs - before.cpuMs, content };
  } finally {
    await pool.close();
  }
}

function findWorker(): number {
  const worker = findDescendants(process.pid).find((pid) =>
    readProcessFile(pid, "cmdline").includes("isolation/worker.ts"),
  );
  if (worker === undefined) throw new Error("the pool has no worker");
  return worker;
}

/** Of USER_HZ, which is 100 on Linux. */
const msPerTick = 10;

function figuresOf(pid: number): { readonly peakMib: number; readonly cpuMs: number } {
  const peakKib = Number(/^VmHWM:\s+(\d+)/m.exec(readProcessFile(pid, "status"))?.[1]);
  const stat = readProcessFile(pid, "stat");
  // Fields 14 and 15 of proc(5), counted from behind the name, which is the second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return { peakMib: peakKib / 1024, cpuMs: ((user ?? 0) + (system ?? 0)) * msPerTick };
}

function storedOn(path: string) {
  const chunkBytes = 256 << 10;
  const readAt = (descriptor: number, offset: number, length: number): Buffer => {
    const target = Buffer.allocUnsafeSlow(length);
    return target.subarray(0, readSync(descriptor, target, 0, length, offset));
  };
  return {
    sizeBytes: statSync(path).size,
    readChunks: async function* () {
      const descriptor = openSync(path, "r");
      for (let at = 0; ; at += chunkBytes) {
        const chunk = readAt(descriptor, at, chunkBytes);
        if (chunk.length === 0) break;
        yield await Promise.resolve(chunk);
      }
      closeSync(descriptor);
    },
    openForAccess: () => {
      const descriptor = openSync(path, "r");
      return Promise.resolve({
        readAt: (offset: number, length: number) => readAt(descriptor, offset, length),
        [Symbol.asyncDispose]: () => Promise.resolve(closeSync(descriptor)),
      });
    },
  };
}
