import { constants } from "node:os";

/** How a worker process ended, as far as the service can see. */
export interface WorkerExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  /** The last of what it wrote to standard error: from the document's side, for our log only. */
  readonly stderr: string;
  /** Set when the process could not be started. */
  readonly spawnError?: Error;
  /** Set when it was killed for what it sent. */
  readonly violation?: string;
}

/**
 * `memory`: it was refused memory, or the heap was full. `protocol`: it sent what no worker of ours sends.
 * `crash`: anything else, such as a kill from outside or a fault in native code.
 */
export type DeathCause = "memory" | "protocol" | "crash";

// Last words of V8, of Node, of C++ and of zlib when memory is refused.
const memoryWords = new RegExp(
  [
    "heap out of memory",
    "Allocation failed",
    "out of memory",
    "bad_alloc",
    "Cannot allocate memory",
    "ENOMEM",
    "ERR_MEMORY_ALLOCATION_FAILED",
    "Array buffer allocation",
    "Committing semi space failed",
    "invalid (array|table|size)",
    "Check failed: SetPermissions",
  ].join("|"),
  "i",
);

export function causeOfDeath({ code, stderr, violation }: WorkerExit): DeathCause {
  if (violation !== undefined) return "protocol";
  return code !== 0 && memoryWords.test(stderr) ? "memory" : "crash";
}

/** One line for the log: `signal SIGSEGV`, `exit code 1`. Of a shell-like launcher, 128 and more stand for a signal. */
export function describeExit({ code, signal, spawnError, violation }: WorkerExit): string {
  if (violation !== undefined) return `protocol violation (${violation})`;
  if (spawnError !== undefined) return `not started (${spawnError.message})`;
  const name = signal ?? signalName(code);
  return name === undefined ? `exit code ${code ?? "unknown"}` : `signal ${name}`;
}

function signalName(code: number | undefined): string | undefined {
  if (code === undefined || code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}
