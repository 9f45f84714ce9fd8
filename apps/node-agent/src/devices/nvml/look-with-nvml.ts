import type { Gpu, GpuProcess } from "../device-provider.ts";
import { blankGpu } from "../sampling/blank-gpu.ts";
import { type Nvml, nvmlCodes } from "./open-nvml.ts";

/** One look at all GPUs, as the sampler tells it in a line of JSON. */
export interface NvmlLook {
  readonly driver: string | null;
  readonly cuda: string | null;
  readonly gpus: readonly Gpu[];
  /** What cannot be told as a GPU. */
  readonly note: string | null;
}

const mib = 2n ** 20n;
const unknown64 = 2n ** 64n - 1n;

/** A function that looks at all GPUs; it knows those that it saw, so that one which was lost is told as the one that it is. */
export function createNvmlLook(nvml: Nvml): () => NvmlLook {
  const driver = readText(nvml, "nvmlSystemGetDriverVersion", []);
  const version = readUint(nvml, "nvmlSystemGetCudaDriverVersion_v2", []);
  const cuda = version === null ? null : `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
  const known = new Map<number, { readonly handle: unknown; readonly uuid: string; readonly name: string }>();

  function find(index: number): string | undefined {
    const handle: unknown[] = [null];
    const code = nvml.call("nvmlDeviceGetHandleByIndex_v2", index, handle);
    if (code !== nvmlCodes.ok) return nvml.tell(code);
    const uuid = readText(nvml, "nvmlDeviceGetUUID", [handle[0]]);
    if (uuid === null) return "it has no UUID";
    known.set(index, {
      handle: handle[0],
      uuid,
      name: readText(nvml, "nvmlDeviceGetName", [handle[0]]) ?? "GPU of unknown name",
    });
    return undefined;
  }

  return () => {
    const count = readUint(nvml, "nvmlDeviceGetCount_v2", []);
    if (count === null) throw new Error("The driver does not say how many GPUs there are.");
    const notes: string[] = [];
    const gpus: Gpu[] = [];
    for (let index = 0; index < count; index += 1) {
      const fault = known.has(index) ? undefined : find(index);
      const found = known.get(index);
      if (found !== undefined) gpus.push(readGpu(nvml, { index, ...found }));
      else notes.push(`GPU ${index} cannot be read: ${fault}.`);
    }
    return { driver, cuda, gpus, note: notes.length === 0 ? null : notes.join(" ") };
  };
}

interface Known {
  readonly index: number;
  readonly handle: unknown;
  readonly uuid: string;
  readonly name: string;
}

function readGpu(nvml: Nvml, known: Known): Gpu {
  const { handle } = known;
  const memory = readMemory(nvml, handle);
  if (typeof memory === "string") return blankGpu(known, `The driver says: ${memory}. Restart the machine.`);
  const uint = (name: string, ...args: readonly unknown[]): number | null => readUint(nvml, name, [handle, ...args]);
  const rates = Buffer.alloc(8);
  const hasRates = nvml.call("nvmlDeviceGetUtilizationRates", handle, rates) === nvmlCodes.ok;
  const state = uint("nvmlDeviceGetPerformanceState");
  return {
    ...blankGpu(known, null),
    ...memory,
    utilisationPercent: hasRates ? rates.readUInt32LE(0) : null,
    memoryUtilisationPercent: hasRates ? rates.readUInt32LE(4) : null,
    temperatureC: uint("nvmlDeviceGetTemperature", 0),
    powerW: toWatts(uint("nvmlDeviceGetPowerUsage")),
    powerLimitW: toWatts(uint("nvmlDeviceGetEnforcedPowerLimit")),
    smClockMhz: uint("nvmlDeviceGetClockInfo", 1),
    memoryClockMhz: uint("nvmlDeviceGetClockInfo", 2),
    fanPercent: uint("nvmlDeviceGetFanSpeed"),
    performanceState: state === null || state > 15 ? null : `P${state}`,
    eccUncorrected: readEcc(nvml, handle),
    migMode: readMig(nvml, handle),
    processes: readProcesses(nvml, handle),
  };
}

const toWatts = (milliwatts: number | null): number | null => (milliwatts === null ? null : milliwatts / 1000);
const noMemory = { memoryTotalMb: null, memoryUsedMb: null, memoryFreeMb: null };

/** The memory, what there is of it; or what the driver says of a GPU that it cannot read. */
function readMemory(nvml: Nvml, handle: unknown): Pick<Gpu, keyof typeof noMemory> | string {
  // Of the second version, whose used memory does not include what the driver keeps for itself.
  const second = Buffer.alloc(40);
  second.writeUInt32LE(40 + 2 * 2 ** 24, 0);
  let code = nvml.call("nvmlDeviceGetMemoryInfo_v2", handle, second);
  if (code === nvmlCodes.ok) return memoryOf(second, { total: 8, used: 32, free: 24 });
  const first = Buffer.alloc(24);
  const isOlder = code === nvmlCodes.functionNotFound || code === nvmlCodes.otherVersion;
  if (isOlder) code = nvml.call("nvmlDeviceGetMemoryInfo", handle, first);
  if (isOlder && code === nvmlCodes.ok) return memoryOf(first, { total: 0, used: 16, free: 8 });
  const isAbsent = code === nvmlCodes.notSupported || code === nvmlCodes.noPermission;
  return isAbsent ? noMemory : nvml.tell(code);
}

interface Offsets {
  readonly total: number;
  readonly used: number;
  readonly free: number;
}

const memoryOf = (info: Buffer, { total, used, free }: Offsets) => ({
  memoryTotalMb: Number(info.readBigUInt64LE(total) / mib),
  memoryUsedMb: Number(info.readBigUInt64LE(used) / mib),
  memoryFreeMb: Number(info.readBigUInt64LE(free) / mib),
});

function readEcc(nvml: Nvml, handle: unknown): number | null {
  const count = Buffer.alloc(8);
  // Uncorrected ones, since the driver was loaded.
  const code = nvml.call("nvmlDeviceGetTotalEccErrors", handle, 1, 0, count);
  return code === nvmlCodes.ok ? Number(count.readBigUInt64LE()) : null;
}

function readMig(nvml: Nvml, handle: unknown): string | null {
  const current = Buffer.alloc(4);
  const code = nvml.call("nvmlDeviceGetMigMode", handle, current, Buffer.alloc(4));
  if (code !== nvmlCodes.ok) return null;
  return current.readUInt32LE() === 1 ? "Enabled" : "Disabled";
}

const mostProcesses = 256;
const processBytes = 24;

/** Null where the driver does not tell them. */
function readProcesses(nvml: Nvml, handle: unknown): readonly GpuProcess[] | null {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(mostProcesses);
  const infos = Buffer.alloc(mostProcesses * processBytes);
  let code = nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", handle, count, infos);
  // Of drivers before 510, with entries of the same form.
  if (code === nvmlCodes.functionNotFound)
    code = nvml.call("nvmlDeviceGetComputeRunningProcesses_v2", handle, count, infos);
  if (code !== nvmlCodes.ok) return null;
  return Array.from({ length: Math.min(mostProcesses, count.readUInt32LE()) }, (_, place) => {
    const used = infos.readBigUInt64LE(place * processBytes + 8);
    return { pid: infos.readUInt32LE(place * processBytes), memoryMb: used === unknown64 ? null : Number(used / mib) };
  });
}

function readUint(nvml: Nvml, name: string, args: readonly unknown[]): number | null {
  const value = Buffer.alloc(4);
  return nvml.call(name, ...args, value) === nvmlCodes.ok ? value.readUInt32LE() : null;
}

function readText(nvml: Nvml, name: string, args: readonly unknown[]): string | null {
  const text = Buffer.alloc(96);
  if (nvml.call(name, ...args, text, text.length) !== nvmlCodes.ok) return null;
  const end = text.indexOf(0);
  return text.toString("utf8", 0, end < 0 ? text.length : end);
}
