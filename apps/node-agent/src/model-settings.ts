import { integerSetting, listSetting } from "@attune/service-kit/load-config.ts";
import type { WorkerSettings } from "./engines/transformers/transformers-engine.ts";

export const modelSettings = {
  NODE_AGENT_MODEL_ROOTS: listSetting(
    "Folders from which jobs and loads may take models, adapters and data, beside the node's own cache and jobs; unset: anywhere",
  ),
  NODE_AGENT_MODELS_MAX: integerSetting({ min: 1, max: 64, fallback: 4 }, "Models that may be in memory at once"),
  NODE_AGENT_MODEL_QUEUE: integerSetting({ min: 0, max: 10_000, fallback: 32 }, "Chats that may wait for one model"),
  NODE_AGENT_MODEL_LOAD_TIMEOUT_SECONDS: integerSetting(
    { min: 1, max: 86_400, fallback: 900 },
    "Time to load a model, unless the load says another one",
  ),
  NODE_AGENT_MODEL_STALL_SECONDS: integerSetting(
    { min: 1, max: 86_400, fallback: 300 },
    "Longest silence of a model in the middle of an answer",
  ),
};

export interface ModelSettings {
  readonly maxModels: number;
  readonly maxWaiting: number;
  readonly loadTimeoutMs: number;
  readonly worker: WorkerSettings;
}

export const toModelSettings = (values: {
  readonly NODE_AGENT_MODELS_MAX: number;
  readonly NODE_AGENT_MODEL_QUEUE: number;
  readonly NODE_AGENT_MODEL_LOAD_TIMEOUT_SECONDS: number;
  readonly NODE_AGENT_MODEL_STALL_SECONDS: number;
}): ModelSettings => ({
  maxModels: values.NODE_AGENT_MODELS_MAX,
  maxWaiting: values.NODE_AGENT_MODEL_QUEUE,
  loadTimeoutMs: values.NODE_AGENT_MODEL_LOAD_TIMEOUT_SECONDS * 1000,
  worker: {
    stallMs: values.NODE_AGENT_MODEL_STALL_SECONDS * 1000,
    // While a worker reads a long prompt it hears nothing, and that is no fault of it.
    cancelGraceMs: values.NODE_AGENT_MODEL_STALL_SECONDS * 1000,
    unloadGraceMs: 10_000,
  },
});
