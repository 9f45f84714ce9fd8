import type { Gpu } from "../device-provider.ts";

/** A GPU of which only is known that there is one. */
export function blankGpu({ index, uuid, name }: Pick<Gpu, "index" | "uuid" | "name">, fault: string | null): Gpu {
  return {
    index,
    uuid,
    name,
    memoryTotalMb: null,
    memoryUsedMb: null,
    memoryFreeMb: null,
    utilisationPercent: null,
    memoryUtilisationPercent: null,
    temperatureC: null,
    powerW: null,
    powerLimitW: null,
    smClockMhz: null,
    memoryClockMhz: null,
    fanPercent: null,
    performanceState: null,
    eccUncorrected: null,
    migMode: null,
    fault,
    processes: null,
  };
}
