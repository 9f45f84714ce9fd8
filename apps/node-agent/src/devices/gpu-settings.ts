import { integerSetting, textSetting } from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import { parseSimulationSpec, type SimulationSpec } from "./simulated/simulation-spec.ts";

export const gpuSources = ["auto", "nvidia-smi", "nvml", "simulated", "none"] as const;
export type GpuSource = (typeof gpuSources)[number];

const usualSimulation = "4xH100-80GB";

export const gpuSettings = {
  NODE_AGENT_GPU_SOURCE: z
    .enum(gpuSources)
    .default("auto")
    .meta({
      description:
        "What tells of the GPUs; auto: simulated ones where NODE_AGENT_GPU_SIM is set, else nvidia-smi, else NVML, else none",
      allowed: gpuSources.join(", "),
    }),
  NODE_AGENT_GPU_SIM: z
    .string()
    .refine((text) => parseSimulationSpec(text) !== undefined, {
      error: "must be like 4xH100-80GB, 2xH100-80GB,2xL4-24GB or 4xH100-80GB:7 with a seed",
    })
    .optional()
    .meta({
      description: `GPUs to simulate, for development and tests; ${usualSimulation} where the source is simulated`,
      allowed: "COUNTxNAME-MEMORYGB, several with commas, and :SEED",
    }),
  NODE_AGENT_GPU_SIM_FAULTS: textSetting(
    "File that says which simulated GPUs are faulty: in each line an index, and what is wrong",
  ),
  NODE_AGENT_GPU_INTERVAL_MS: integerSetting(
    { min: 100, max: 60_000, fallback: 1000 },
    "How often the GPUs are looked at",
  ),
};

export interface GpuSettings {
  readonly source: GpuSource;
  readonly simulation: SimulationSpec | undefined;
  readonly simulatedFaultsPath: string | undefined;
  readonly intervalMs: number;
}

export function toGpuSettings(values: {
  readonly NODE_AGENT_GPU_SOURCE: GpuSource;
  readonly NODE_AGENT_GPU_SIM?: string | undefined;
  readonly NODE_AGENT_GPU_SIM_FAULTS?: string | undefined;
  readonly NODE_AGENT_GPU_INTERVAL_MS: number;
}): GpuSettings {
  const { NODE_AGENT_GPU_SOURCE: asked, NODE_AGENT_GPU_SIM: text } = values;
  const source = asked === "auto" && text !== undefined ? "simulated" : asked;
  return {
    source,
    simulation: source === "simulated" ? parseSimulationSpec(text ?? usualSimulation) : undefined,
    simulatedFaultsPath: values.NODE_AGENT_GPU_SIM_FAULTS,
    intervalMs: values.NODE_AGENT_GPU_INTERVAL_MS,
  };
}

/** Settings that contradict each other, one line each. */
export function faultsOfGpuSettings(values: {
  readonly NODE_AGENT_GPU_SOURCE: GpuSource;
  readonly NODE_AGENT_GPU_SIM?: string | undefined;
}): string[] {
  const { NODE_AGENT_GPU_SOURCE: source, NODE_AGENT_GPU_SIM: simulation } = values;
  if (simulation === undefined || source === "auto" || source === "simulated") return [];
  return [`NODE_AGENT_GPU_SIM: simulates nothing while NODE_AGENT_GPU_SOURCE is ${source}; unset one of them`];
}
