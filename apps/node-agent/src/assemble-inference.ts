import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Environment } from "@attune/service-kit/load-config.ts";
import type { AgentConfig } from "./config.ts";
import type { DeviceProvider } from "./devices/device-provider.ts";
import { findCuda } from "./devices/find-cuda.ts";
import type { GpuLeases } from "./devices/gpu-leases.ts";
import { createEngineProcesses } from "./engines/create-engine-processes.ts";
import type { InferenceEngine } from "./engines/inference-engine.ts";
import { createInferenceEngines } from "./engines/inference-engines.ts";
import type { PythonSetup } from "./engines/python-setup/python-setup.ts";
import { createInferenceSessions, type InferenceSessions } from "./inference/create-inference-sessions.ts";

export interface InferenceParts {
  readonly config: AgentConfig;
  readonly environment: Environment;
  /** Absolute; logs of models lie in it. */
  readonly folder: string;
  readonly leases: GpuLeases;
  readonly devices: DeviceProvider;
  readonly setup: PythonSetup | undefined;
  readonly logger: Logger;
}

export interface Inference {
  readonly engines: readonly InferenceEngine[];
  readonly sessions: InferenceSessions;
  /** Unloads all models. */
  close(): Promise<void>;
}

/** Models in memory with their engines; what an earlier agent left of them is ended first. */
export async function assembleInference(parts: InferenceParts): Promise<Inference> {
  const { config, environment, folder, leases, devices, setup, logger } = parts;
  const { python } = config;
  const { worker, engines: settings } = config.inference;
  const processes = createEngineProcesses(environment);
  const engines = createInferenceEngines({
    processes,
    environment,
    python,
    setup,
    worker,
    settings,
    findCuda: () => findCuda(devices),
  });
  const { maxModels, maxWaiting, loadTimeoutMs, allowedFolders } = config.inference;
  const sessions = createInferenceSessions({
    engines,
    leases,
    devices,
    folder,
    maxModels,
    maxWaiting,
    loadTimeoutMs,
    allowedFolders,
    logger,
  });
  await sessions.start();
  return {
    engines,
    sessions,
    close: async () => {
      await sessions.close();
      processes.close();
    },
  };
}
