import { readFileSync } from "node:fs";
import { isMarkAlive, isProcessAlive, markOf } from "@attune/service-kit/postgres/process-mark.ts";

/** Names one process for ever: its number, when it started, and the boot of the machine in which it did. */
export interface ProcessIdentity {
  readonly pid: number;
  /** `<pid>-<start>`, the start in clock ticks since the machine's. */
  readonly mark: string;
  /** Empty where the system does not tell. */
  readonly bootId: string;
}

/** Undefined when there is no such process, or only what is left of one that nobody waited for. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const mark = markOf(pid);
  return isMarkAlive(mark) && isProcessAlive(pid) ? { pid, mark, bootId } : undefined;
}

/** Whether it still runs; what ended and was not yet waited for does not, nor does another process of the same number. */
export const isRunning = ({ mark, bootId: boot }: ProcessIdentity): boolean => boot === bootId && isMarkAlive(mark);

/** Whether the machine was started anew since, so that the process cannot run any more. */
export const isOfEarlierBoot = (identity: ProcessIdentity): boolean => identity.bootId !== bootId;

/** Of this boot of the machine; empty where the system does not tell. */
export const bootId = ((): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
})();
