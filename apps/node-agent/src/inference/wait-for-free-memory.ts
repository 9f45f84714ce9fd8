import { setTimeout as sleep } from "node:timers/promises";
import type { DeviceSample } from "../devices/device-provider.ts";

export interface FreedMemory {
  readonly gpus: readonly number[];
  /** Processes that were seen on them and have ended. */
  readonly pids: readonly number[];
}

const timeoutMs = 10_000;
const lookMs = 100;

/**
 * Waits until a sample that was taken after the call shows no memory of these processes, which have ended, on these GPUs.
 * Where the GPUs cannot be seen there is nothing to wait for.
 * @returns the GPUs that show it after 10 seconds all the same; usually none
 */
export async function waitForFreeMemory(
  devices: { latest(): DeviceSample },
  { gpus, pids }: FreedMemory,
): Promise<readonly number[]> {
  if (gpus.length === 0 || pids.length === 0) return [];
  const startedAtMs = Date.now();
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const sample = devices.latest();
    const held = holdersOf(sample, { gpus, pids });
    if (sample.fault !== null || (held.length === 0 && sample.takenAtMs >= startedAtMs)) return [];
    if (performance.now() > endMs) return held;
    await sleep(lookMs);
  }
}

const holdersOf = (sample: DeviceSample, { gpus, pids }: FreedMemory): readonly number[] =>
  sample.gpus
    .filter(({ index, processes }) => gpus.includes(index) && processes?.some(({ pid }) => pids.includes(pid)) === true)
    .map(({ index }) => index);
