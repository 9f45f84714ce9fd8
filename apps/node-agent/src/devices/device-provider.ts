/** One GPU as it is seen now. Null is unknown, never 0. */
export interface Gpu {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly memoryTotalMb: number | null;
  readonly memoryUsedMb: number | null;
  readonly memoryFreeMb: number | null;
  readonly utilisationPercent: number | null;
  readonly memoryUtilisationPercent: number | null;
  readonly temperatureC: number | null;
  readonly powerW: number | null;
  readonly powerLimitW: number | null;
  readonly smClockMhz: number | null;
  readonly memoryClockMhz: number | null;
  readonly fanPercent: number | null;
  readonly performanceState: string | null;
  readonly eccUncorrected: number | null;
  readonly migMode: string | null;
  /** Why it cannot be used; null when it can. */
  readonly fault: string | null;
  /** Who uses it; null while that cannot be seen. */
  readonly processes: readonly GpuProcess[] | null;
}

export interface GpuProcess {
  readonly pid: number;
  readonly memoryMb: number | null;
}

export interface DeviceSample {
  readonly takenAtMs: number;
  readonly gpus: readonly Gpu[];
  readonly driver: string | null;
  readonly cuda: string | null;
  /** Why there is no sample, or an old one; null when all is well. While it stands, no GPU is given to anybody. */
  readonly fault: string | null;
  /** What is to know though nothing is wrong: why there are no GPUs, or why another source is not used. */
  readonly note: string | null;
}

/** A source of samples: the driver's command, NVML, or a simulation. */
export interface DeviceProvider {
  readonly name: string;
  /** Marked on every screen and in every answer. */
  readonly isSimulated: boolean;
  start(): Promise<void>;
  latest(): DeviceSample;
  close(): Promise<void>;
}
