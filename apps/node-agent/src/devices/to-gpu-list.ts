import type { GpuListView } from "@attune/contracts/compute/device-api.ts";
import type { DeviceProvider, Gpu } from "./device-provider.ts";
import type { GpuLeases } from "./gpu-leases.ts";
import type { UseOfGpu } from "./gpu-uses.ts";
import { blankGpu } from "./sampling/blank-gpu.ts";
import { steadyNow } from "./steady-now.ts";

export interface GpuListSources {
  readonly devices: Pick<DeviceProvider, "name" | "isSimulated" | "latest">;
  readonly leases: Pick<GpuLeases, "uses">;
  /** Whose process this is; undefined when it is none of the node's. */
  readonly holderOf: (pid: number) => string | undefined;
}

/** The GPUs as they are told to callers, with those that somebody has though the driver never listed them. */
export function toGpuList({ devices, leases, holderOf }: GpuListSources): GpuListView {
  const { takenAtMs, gpus, driver, cuda, fault, note } = devices.latest();
  const known = new Map(gpus.map((gpu) => [gpu.index, gpu]));
  const views = [...leases.uses()].map(([index, use]) =>
    toView(known.get(index) ?? unseenGpu(index), { use, isSimulated: devices.isSimulated, holderOf }),
  );
  const hasSample = takenAtMs > 0;
  return {
    gpus: views.toSorted((a, b) => a.index - b.index),
    source: devices.name,
    is_simulated: devices.isSimulated,
    driver,
    cuda,
    sampled_at: hasSample ? new Date(takenAtMs).toISOString() : null,
    sample_age_ms: hasSample ? Math.max(0, Math.round(steadyNow() - takenAtMs)) : null,
    fault,
    note,
  };
}

const unseenGpu = (index: number): Gpu =>
  blankGpu(
    { index, uuid: `unknown-${index}`, name: "unknown" },
    "The driver has not listed it since the agent was started.",
  );

interface Seen {
  readonly use: UseOfGpu;
  readonly isSimulated: boolean;
  readonly holderOf: (pid: number) => string | undefined;
}

function toView(gpu: Gpu, { use: { use, holder }, isSimulated, holderOf }: Seen): GpuListView["gpus"][number] {
  return {
    id: gpu.uuid,
    index: gpu.index,
    name: gpu.name,
    status: use,
    holder,
    fault: gpu.fault,
    is_simulated: isSimulated,
    memory_total_mb: gpu.memoryTotalMb,
    memory_used_mb: gpu.memoryUsedMb,
    memory_free_mb: gpu.memoryFreeMb,
    utilisation_percent: gpu.utilisationPercent,
    memory_utilisation_percent: gpu.memoryUtilisationPercent,
    temperature_c: gpu.temperatureC,
    power_w: gpu.powerW,
    power_limit_w: gpu.powerLimitW,
    sm_clock_mhz: gpu.smClockMhz,
    memory_clock_mhz: gpu.memoryClockMhz,
    fan_percent: gpu.fanPercent,
    performance_state: gpu.performanceState,
    ecc_uncorrected: gpu.eccUncorrected,
    mig_mode: gpu.migMode,
    processes:
      gpu.processes?.map(({ pid, memoryMb }) => ({
        pid,
        memory_mb: memoryMb,
        holder: holderOf(pid) ?? null,
      })) ?? null,
  };
}
