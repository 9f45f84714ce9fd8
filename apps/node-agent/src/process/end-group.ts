import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessIdentity } from "./process-identity.ts";
import { findByEnvironment, listGroup } from "./read-processes.ts";

/** The variable that every process of a run or of a loaded model is started with, and its children inherit. */
export const runIdVariable = "ATTUNE_RUN_ID";

/** Processes that belong together: the group of a leader, and what carries the same run id, wherever it went. */
export interface ProcessFamily {
  readonly runId: string;
  /** Undefined when it is not known who led the group. */
  readonly leader: ProcessIdentity | undefined;
}

/** Processes of the family that still run. */
export function listFamily({ runId, leader }: ProcessFamily): readonly number[] {
  const group = leader === undefined ? [] : listGroup(leader);
  return [...new Set([...group, ...findByEnvironment(runIdVariable, runId)])].filter((pid) => pid !== process.pid);
}

/** Sends a signal to every process of the family. One that is gone meanwhile is no error. */
export function signalFamily(family: ProcessFamily, signal: "SIGTERM" | "SIGKILL"): void {
  for (const pid of listFamily(family)) sendSignal(pid, signal);
}

/** Whether there was a process to send it to. */
export function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false; // it is gone, or never was ours
  }
}

/**
 * Ends the family: SIGTERM, after `graceMs` SIGKILL, again and again while members appear.
 * @returns processes that run all the same after `killMs` more, which only the kernel can hold back; usually none.
 */
export async function endGroup(
  family: ProcessFamily,
  { graceMs, killMs = 10_000 }: { readonly graceMs: number; readonly killMs?: number },
): Promise<readonly number[]> {
  if (graceMs > 0) {
    signalFamily(family, "SIGTERM");
    if (await isGoneWithin(family, graceMs)) return [];
  }
  const endMs = performance.now() + killMs;
  while (performance.now() < endMs) {
    signalFamily(family, "SIGKILL");
    if (await isGoneWithin(family, 200)) return [];
  }
  return listFamily(family);
}

/** Looks every 20 ms; two looks must agree, because a process may be forking while it is looked for. */
async function isGoneWithin(family: ProcessFamily, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  let looksWithout = 0;
  do {
    looksWithout = listFamily(family).length === 0 ? looksWithout + 1 : 0;
    if (looksWithout === 2) return true;
    await sleep(20);
  } while (performance.now() < endMs);
  return false;
}
