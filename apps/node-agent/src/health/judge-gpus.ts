import type { NodeHealth, NodeHealthFinding } from "@attune/contracts/compute/node-health.ts";
import type { DeviceProvider, DeviceSample, Gpu } from "../devices/device-provider.ts";
import type { GpuLeases, GpuUse } from "../devices/gpu-leases.ts";
import { findingOf } from "./finding.ts";

type HealthDevices = Pick<DeviceProvider, "name" | "isSimulated" | "latest">;

interface JudgedGpus {
  readonly gpus: NodeHealth["gpus"];
  readonly findings: readonly NodeHealthFinding[];
}

/** The node's GPUs in figures, and what is wrong with them. */
export function judgeGpus(devices: HealthDevices, leases: Pick<GpuLeases, "uses">): JudgedGpus {
  const sample = devices.latest();
  const uses = [...leases.uses().values()];
  const countOf = (wanted: GpuUse): number => uses.filter(({ use }) => use === wanted).length;
  const gpus = {
    provider: devices.name,
    is_simulated: devices.isSimulated,
    driver: sample.driver,
    cuda: sample.cuda,
    taken_at: sample.takenAtMs === 0 ? null : new Date(sample.takenAtMs).toISOString(),
    fault: sample.fault,
    note: sample.note,
    total: sample.gpus.length,
    free: countOf("free"),
    reserved: countOf("reserved"),
    busy: countOf("busy"),
    foreign: countOf("foreign"),
    faulty: countOf("faulty"),
    names: sample.gpus.map(({ name }) => name),
    memory_total_mb: sumOf(sample.gpus, "memoryTotalMb"),
    memory_used_mb: sumOf(sample.gpus, "memoryUsedMb"),
  };
  return { gpus, findings: findingsOf(sample) };
}

/** Null where the figure of any GPU is unknown: a sum of some would pass for that of all. */
function sumOf(gpus: readonly Gpu[], figure: "memoryTotalMb" | "memoryUsedMb"): number | null {
  const figures = gpus.map((gpu) => gpu[figure]);
  return figures.includes(null) ? null : figures.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function findingsOf({ fault, gpus }: DeviceSample): NodeHealthFinding[] {
  const faulty = gpus.filter((gpu) => gpu.fault !== null);
  return [
    ...(fault === null ? [] : [findingOf("GPUS_UNREADABLE", "degraded", fault)]),
    ...faulty.map((gpu) => findingOf("GPU_FAULTY", "degraded", `GPU ${gpu.index} (${gpu.name}): ${gpu.fault}`)),
  ];
}
