import type { Logger } from "@attune/service-kit/create-logger.ts";
import { createNoDevices } from "./create-no-devices.ts";
import type { DeviceProvider } from "./device-provider.ts";
import type { GpuSettings } from "./gpu-settings.ts";
import { createNvidiaSmiProvider } from "./nvidia-smi/create-nvidia-smi-provider.ts";
import { isSmiInstalled } from "./nvidia-smi/run-smi.ts";
import { createNvmlProvider, findNvmlObstacle } from "./nvml/create-nvml-provider.ts";
import { createSimulatedProvider } from "./simulated/create-simulated-provider.ts";

export interface DevicesDeps {
  readonly logger: Logger;
  /** Whether somebody has a lease of the GPU; only simulated ones ask. */
  readonly isHeld: (index: number) => boolean;
  /** The driver's program and library, where they are not the usual ones. */
  readonly nvidiaSmi?: string;
  readonly nvmlLibrary?: string;
}

/**
 * The source of samples that the settings ask for, started. It does not fail: what is wrong stands in its samples, and it goes
 * on trying.
 */
export async function openDevices(settings: GpuSettings, deps: DevicesDeps): Promise<DeviceProvider> {
  const provider = await choose(settings, deps);
  await provider.start();
  const { gpus, fault, note } = provider.latest();
  deps.logger.info({ source: provider.name, gpus: gpus.length, fault, note }, "GPUs");
  return provider;
}

async function choose(settings: GpuSettings, deps: DevicesDeps): Promise<DeviceProvider> {
  const { source, simulation: spec, simulatedFaultsPath: faultsPath, intervalMs } = settings;
  if (spec !== undefined) return createSimulatedProvider({ spec, faultsPath, isHeld: deps.isHeld, intervalMs });
  if (source === "none") return createNoDevices("NODE_AGENT_GPU_SOURCE is none.");
  if (source === "nvidia-smi") return smi(settings, deps);
  if (source === "nvml") return nvmlOrSmi(settings, deps);
  if (await isSmiInstalled(deps.nvidiaSmi)) return smi(settings, deps);
  const obstacle = await findNvmlObstacle(deps.nvmlLibrary);
  if (obstacle === undefined) return nvml(settings, deps);
  return createNoDevices(`This machine has no NVIDIA driver: nvidia-smi is not on the PATH, and ${obstacle}`);
}

async function nvmlOrSmi(settings: GpuSettings, deps: DevicesDeps): Promise<DeviceProvider> {
  const obstacle = await findNvmlObstacle(deps.nvmlLibrary);
  if (obstacle === undefined) return nvml(settings, deps);
  const note = `NVML is not used: ${obstacle}`;
  deps.logger.warn({ obstacle }, "NVML cannot be used; the GPUs are told by nvidia-smi");
  return withNote(smi(settings, deps), note);
}

const nvml = ({ intervalMs }: GpuSettings, { logger, nvmlLibrary }: DevicesDeps): DeviceProvider =>
  createNvmlProvider({ intervalMs, logger, ...(nvmlLibrary !== undefined && { library: nvmlLibrary }) });

const smi = ({ intervalMs }: GpuSettings, { logger, nvidiaSmi }: DevicesDeps): DeviceProvider =>
  createNvidiaSmiProvider({ intervalMs, logger, ...(nvidiaSmi !== undefined && { program: nvidiaSmi }) });

function withNote(provider: DeviceProvider, note: string): DeviceProvider {
  return {
    ...provider,
    latest() {
      const sample = provider.latest();
      return { ...sample, note: sample.note === null ? note : `${note} ${sample.note}` };
    },
  };
}
