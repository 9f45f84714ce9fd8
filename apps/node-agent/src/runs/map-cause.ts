import type { RunCauseName } from "@attune/contracts/compute/run-causes.ts";
import { workerExit } from "@attune/contracts/compute/worker-events.ts";
import type { ExitRecord } from "../process/exit-record.ts";
import type { MemoryExcess } from "../process/memory-watch.ts";

export interface MappedCause {
  readonly cause: RunCauseName;
  /** What happened in this case. */
  readonly message: string;
}

const causeOfStatus: Readonly<Record<number, RunCauseName>> = {
  [workerExit.badSpec]: "bad_spec",
  [workerExit.badDataset]: "bad_dataset",
  [workerExit.outOfMemory]: "out_of_memory",
  [workerExit.diskFull]: "disk_full",
  [workerExit.environment]: "environment",
  [workerExit.nonFinite]: "nonfinite_loss",
};

/** What the libraries print, from the most particular to the least; of several in a log the last line that fits counts. */
const patterns: readonly (readonly [RegExp, RunCauseName])[] = [
  [/OutOfMemoryError|CUDA out of memory|HIP out of memory|CUBLAS_STATUS_ALLOC_FAILED/, "out_of_memory"],
  [/No space left on device|Errno 28\b|ENOSPC|Disk quota exceeded/, "disk_full"],
  [
    /\bMemoryError\b|std::bad_alloc|can(?:not|'t) allocate memory|memory allocation (?:still )?failed|failed to map segment|thread creation failed|can't start new thread|Errno 12\b/i,
    "host_out_of_memory",
  ],
  [
    /driver version is insufficient|no kernel image is available|No CUDA GPUs are available|CUDA-capable device|device-side assert|CUDA error: (?:unknown|an illegal|device|uncorrectable)|GPU is lost|fallen off the bus/,
    "gpu_unavailable",
  ],
  [/SafetensorError|Error while deserializing header|PytorchStreamReader|invalid load key/, "model_corrupt"],
  [/chat_template is not set|no chat template|chat template.*(?:not set|missing)/i, "chat_template_missing"],
  [/NCCL.*tim(?:ed|e) ?out|Watchdog caught collective operation timeout|RendezvousTimeoutError/, "distributed_timeout"],
  [
    /does not recognize this architecture|Unrecognized configuration class|Unrecognized model in/,
    "unsupported_architecture",
  ],
  [/ModuleNotFoundError|ImportError|cannot open shared object file|GLIBC\w* not found/, "environment"],
  [/FileNotFoundError/, "file_not_found"],
  // What torchrun says of a rank that was killed.
  [/Signal \d+ \(SIG\w+\) received by PID/, "engine_crashed"],
];

/** Why a process that said nothing of it failed: its status, then what its log says, then its signal. */
export function mapCause(exit: ExitRecord, log: readonly string[]): MappedCause {
  // What is killed has no last word; what stands in its log is of before.
  return seenByLauncher(exit) ?? judgeBySigns(exit, exit.signal === "SIGKILL" ? [] : log);
}

function judgeBySigns(exit: ExitRecord, said: readonly string[]): MappedCause {
  const told = findInLog(said);
  const cause = causeByStatus(exit, told?.cause) ?? (isKilledForMemory(exit) ? "host_out_of_memory" : told?.cause);
  const message = told?.message ?? lastError(said) ?? describeExit(exit);
  if (cause !== undefined) return { cause, message };
  if (exit.code === 0) {
    return { cause: "engine_failed", message: "The process ended with status 0 without saying that it was done." };
  }
  return {
    cause: exit.signal === null ? "engine_failed" : "engine_crashed",
    message: describeExit(exit, lastError(said)),
  };
}

/** What the launcher itself knows. */
function seenByLauncher({ spawn_error, is_flood, memory_excess }: ExitRecord): MappedCause | undefined {
  if (memory_excess !== null) return excessCause(memory_excess);
  if (is_flood) return { cause: "too_many_events", message: floodMessage };
  if (spawn_error === null) return undefined;
  return { cause: "environment", message: `The engine's program could not be started: ${spawn_error}.` };
}

export function excessCause({ used_bytes, limit_bytes }: MemoryExcess): MappedCause {
  const used = Math.ceil(used_bytes / 2 ** 20);
  const message = `Its processes held ${used} MB of memory together; its memory_limit_mb is ${limit_bytes / 2 ** 20}.`;
  return { cause: "host_out_of_memory", message };
}

export const floodMessage =
  "It wrote events faster than some of them could be left out, or on a disk that keeps them all.";

/** One status stands for want of memory of either kind; the log says which. */
function causeByStatus({ code }: ExitRecord, told: RunCauseName | undefined): RunCauseName | undefined {
  const cause = causeOfStatus[code ?? -1];
  return cause === "out_of_memory" && told === "host_out_of_memory" ? told : cause;
}

const isKilledForMemory = ({ signal, code, oom_kill }: ExitRecord): boolean =>
  oom_kill === true && (signal === "SIGKILL" || code === 137);

/** `The process ended with status 1: ValueError: …` */
export function describeExit({ code, signal }: Pick<ExitRecord, "code" | "signal">, detail?: string): string {
  const how = signal === null ? `with status ${code ?? "unknown"}` : `by ${signal}`;
  return detail === undefined ? `The process ended ${how}.` : `The process ended ${how}: ${detail}`;
}

/** The last line that fits; one that tells of an exception before one that only mentions it. */
function findInLog(log: readonly string[]): MappedCause | undefined {
  const fitting = log.flatMap((line): MappedCause[] => {
    const found = patterns.find(([pattern]) => pattern.test(line));
    return found === undefined ? [] : [{ cause: found[1], message: line.trim() }];
  });
  return fitting.findLast(({ message }) => isError(message)) ?? fitting.at(-1);
}

/** The last line that tells of an exception. */
const lastError = (log: readonly string[]): string | undefined => log.findLast((line) => isError(line.trim()))?.trim();

/** As Python and most programs write it. */
const isError = (line: string): boolean => /^(?:[\w.]*(?:Error|Exception|Interrupt)\b|fatal\b|error:)/i.test(line);
