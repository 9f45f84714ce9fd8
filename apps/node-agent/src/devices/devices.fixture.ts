import type { DeviceSample, Gpu, GpuProcess } from "./device-provider.ts";

export function makeGpu(index: number, known: Partial<Gpu> = {}): Gpu {
  return {
    index,
    uuid: `GPU-0000000${index}-0000-0000-0000-000000000000`,
    name: "NVIDIA H100 80GB HBM3",
    memoryTotalMb: 81_559,
    memoryUsedMb: 1,
    memoryFreeMb: 81_079,
    utilisationPercent: 0,
    memoryUtilisationPercent: 0,
    temperatureC: 30,
    powerW: 70,
    powerLimitW: 700,
    smClockMhz: 345,
    memoryClockMhz: 2619,
    fanPercent: null,
    performanceState: "P0",
    eccUncorrected: 0,
    migMode: "Disabled",
    fault: null,
    processes: [],
    ...known,
  };
}

/** A source of samples that a test sets. */
export interface FakeDevices {
  latest(): DeviceSample;
  set(index: number, known: Partial<Gpu>): void;
  run(index: number, ...processes: readonly GpuProcess[]): void;
  fail(fault: string | null): void;
}

export function createFakeDevices(count: number): FakeDevices {
  const gpus = Array.from({ length: count }, (_, index) => makeGpu(index));
  let fault: string | null = null;
  const set = (index: number, known: Partial<Gpu>): void => {
    gpus[index] = { ...makeGpu(index), ...gpus[index], ...known };
  };
  return {
    latest: () => ({ takenAtMs: Date.now(), gpus: [...gpus], driver: "580.1", cuda: "13.0", fault, note: null }),
    set,
    run: (index, ...processes) => set(index, { processes }),
    fail: (why) => {
      fault = why;
    },
  };
}
