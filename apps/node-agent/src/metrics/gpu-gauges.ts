import { Gauge, type Registry } from "prom-client";
import type { DeviceProvider, Gpu } from "../devices/device-provider.ts";
import { type GpuLeases, type GpuUse } from "../devices/gpu-leases.ts";

type MeteredDevices = Pick<DeviceProvider, "isSimulated" | "latest">;

const mib = 2 ** 20;

/** What is told of each GPU; a figure that is unknown is absent, never 0. */
const figures: Readonly<Record<string, { readonly help: string; readonly read: (gpu: Gpu) => number | null }>> = {
  memory_total_bytes: { help: "Memory of the GPU", read: (gpu) => times(gpu.memoryTotalMb, mib) },
  memory_used_bytes: { help: "Memory of the GPU that is in use", read: (gpu) => times(gpu.memoryUsedMb, mib) },
  utilisation_ratio: {
    help: "Part of the time in which it worked",
    read: (gpu) => times(gpu.utilisationPercent, 0.01),
  },
  memory_utilisation_ratio: {
    help: "Part of the time in which its memory was read or written",
    read: (gpu) => times(gpu.memoryUtilisationPercent, 0.01),
  },
  temperature_celsius: { help: "Temperature of the GPU", read: (gpu) => gpu.temperatureC },
  power_watts: { help: "Power that it draws", read: (gpu) => gpu.powerW },
  power_limit_watts: { help: "Power that it may draw", read: (gpu) => gpu.powerLimitW },
  sm_clock_hertz: { help: "Clock of its processors", read: (gpu) => times(gpu.smClockMhz, 1e6) },
  memory_clock_hertz: { help: "Clock of its memory", read: (gpu) => times(gpu.memoryClockMhz, 1e6) },
  fan_ratio: { help: "Speed of its fan, of the greatest", read: (gpu) => times(gpu.fanPercent, 0.01) },
  ecc_uncorrected_errors: { help: "Errors of its memory that were not corrected", read: (gpu) => gpu.eccUncorrected },
  fault: { help: "1 when it cannot be used", read: (gpu) => (gpu.fault === null ? 0 : 1) },
};

const times = (value: number | null, factor: number): number | null => (value === null ? null : value * factor);
const labelNames = ["gpu", "uuid", "name", "simulated"] as const;
const uses: readonly GpuUse[] = ["free", "reserved", "busy", "foreign", "faulty"];

/** Gauges of each GPU and of how many are in which use; `simulated` tells GPUs that are none. */
export function addGpuGauges(registry: Registry, devices: MeteredDevices, leases: Pick<GpuLeases, "uses">): void {
  for (const [name, { help, read }] of Object.entries(figures)) {
    const gauge = new Gauge({
      name: `node_agent_gpu_${name}`,
      help,
      labelNames,
      registers: [],
      collect() {
        this.reset();
        for (const gpu of devices.latest().gpus) {
          const value = read(gpu);
          if (value !== null) this.set(labelsOf(gpu, devices.isSimulated), value);
        }
      },
    });
    registry.registerMetric(gauge);
  }
  addUses(registry, leases);
  addSampleAge(registry, devices);
}

const labelsOf = ({ index, uuid, name }: Gpu, isSimulated: boolean) => ({
  gpu: String(index),
  uuid,
  name,
  simulated: String(isSimulated),
});

function addUses(registry: Registry, leases: Pick<GpuLeases, "uses">): void {
  const gauge = new Gauge({
    name: "node_agent_gpus",
    help: "GPUs by use; foreign: used by processes that are not the node's",
    labelNames: ["use"],
    registers: [],
    collect() {
      const found = [...leases.uses().values()];
      for (const use of uses) this.set({ use }, found.filter((one) => one.use === use).length);
    },
  });
  registry.registerMetric(gauge);
}

function addSampleAge(registry: Registry, devices: MeteredDevices): void {
  const gauge = new Gauge({
    name: "node_agent_gpu_sample_age_seconds",
    help: "Time since the figures of GPUs were taken; absent before the first ones",
    registers: [],
    collect() {
      const { takenAtMs } = devices.latest();
      if (takenAtMs === 0) this.remove();
      else this.set(Math.max(0, (Date.now() - takenAtMs) / 1000));
    },
  });
  registry.registerMetric(gauge);
}
