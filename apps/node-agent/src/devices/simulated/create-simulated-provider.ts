import type { DeviceProvider, DeviceSample, Gpu } from "../device-provider.ts";
import { blankGpu } from "../sampling/blank-gpu.ts";
import { steadyNow } from "../steady-now.ts";
import { readSimulatedFaults } from "./simulated-faults.ts";
import type { SimulationSpec } from "./simulation-spec.ts";

export interface SimulationOptions {
  readonly spec: SimulationSpec;
  /** A file that says which GPUs are to be faulty; see `readSimulatedFaults`. */
  readonly faultsPath: string | undefined;
  /** Whether somebody has the GPU; then it works and its memory is in use. */
  readonly isHeld: (index: number) => boolean;
  readonly intervalMs: number;
  readonly now?: () => number;
}

/** GPUs that are none, for development and tests. Figures follow from the seed, the time and who has the GPUs. */
export function createSimulatedProvider(options: SimulationOptions): DeviceProvider {
  const { spec, faultsPath, intervalMs, now = steadyNow } = options;

  function latest(): DeviceSample {
    const takenAtMs = Math.floor(now() / intervalMs) * intervalMs;
    const faults = faultsPath === undefined ? new Map<number, string>() : readSimulatedFaults(faultsPath);
    const gpus = spec.gpus.map((_, index) => simulate(options, { index, atMs: takenAtMs, fault: faults.get(index) }));
    const note = "These GPUs are simulated: nothing runs on them.";
    return { takenAtMs, gpus, driver: null, cuda: null, fault: null, note };
  }

  return { name: "simulated", isSimulated: true, start: async () => undefined, latest, close: async () => undefined };
}

interface Moment {
  readonly index: number;
  readonly atMs: number;
  readonly fault: string | undefined;
}

const idleMb = 4;

function simulate({ spec, isHeld, intervalMs }: SimulationOptions, { index, atMs, fault }: Moment): Gpu {
  const { name = "", memoryTotalMb = 0 } = spec.gpus[index] ?? {};
  const known = { index, uuid: uuidOf(spec.seed, index), name };
  if (fault !== undefined) return { ...blankGpu(known, fault), memoryTotalMb };
  const isBusy = isHeld(index);
  // From 0 to 1: one number for the GPU, one for each sample of it.
  const own = noise(spec.seed, index, 0);
  const jitter = noise(spec.seed, index, Math.floor(atMs / intervalMs) + 1);
  const load = isBusy ? 0.85 + 0.14 * jitter : 0;
  const memoryUsedMb = isBusy ? Math.round(memoryTotalMb * (0.5 + 0.3 * own)) : idleMb;
  return {
    ...blankGpu(known, null),
    memoryTotalMb,
    memoryUsedMb,
    processes: [],
    memoryFreeMb: memoryTotalMb - memoryUsedMb,
    utilisationPercent: Math.round(load * 100),
    memoryUtilisationPercent: Math.round(load * 60),
    temperatureC: Math.round(30 + 5 * own + load * 35 + jitter),
    powerW: Math.round((60 + 10 * own + load * 500 + 5 * jitter) * 100) / 100,
    powerLimitW: 700,
    smClockMhz: isBusy ? 1980 : 345,
    memoryClockMhz: 2619,
    performanceState: "P0",
    eccUncorrected: 0,
    migMode: "Disabled",
  };
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const uuidOf = (seed: number, index: number): string => `GPU-${hex(seed, 8)}-0000-4000-8000-${hex(index, 12)}`;

/** A number from 0 to 1 that follows from the others (the finaliser of MurmurHash3). */
function noise(seed: number, index: number, step: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(step, 0x85ebca6b)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}
