import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { EngineProcesses } from "../engine-process.ts";
import type { InferenceEngine, ModelToLoad } from "../inference-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { checkAdapterFolder } from "../model-files/check-adapter-folder.ts";
import { checkModelFolder } from "../model-files/check-model-folder.ts";
import {
  loadServedModel,
  type ModelServer,
  type ServedModel,
  type ServerSettings,
} from "../openai-compatible/load-served-model.ts";
import { checkDevices, reportVllm, vllmName, type VllmPorts } from "./report-vllm.ts";
import { toVllmProgress } from "./to-vllm-progress.ts";
import { toVllmArgs } from "./vllm-args.ts";

export interface VllmSettings extends ServerSettings, VllmPorts {
  /** Sequences that it works on at once. */
  readonly maxSequences: number;
}

/** `vllm serve` for one model, with at most one LoRA adapter. */
export function createVllmEngine(settings: VllmSettings, processes: EngineProcesses): InferenceEngine {
  const report = keepForAMinute(() => reportVllm(settings));
  const check = async (model: ModelToLoad) => {
    const found = await checkFiles(model);
    checkDevices(model, await report());
    return found;
  };
  return {
    name: vllmName,
    report,
    canLoad: ({ modelPath }) => isFile(join(modelPath, "config.json")),
    check: async (model) => void (await check(model)),
    load: async (model, ports, signal) => {
      const { rank } = await check(model);
      const server = toServer(settings, model, rank);
      return loadServedModel({ server, model, ports, processes, settings }, signal);
    },
  };
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

async function checkFiles({
  modelPath,
  adapterPath,
  quantisation,
}: ModelToLoad): Promise<{ readonly rank: number | undefined }> {
  const base = await checkModelFolder(modelPath);
  if (quantisation === "int8") {
    throw new AppError("MODEL_UNSUPPORTED", {
      detail: "vLLM does not quantise to int8 while it loads; use nf4 or none.",
    });
  }
  return adapterPath === undefined ? { rank: undefined } : checkAdapterFolder(adapterPath, base);
}

/** Memory for contexts on the CPU, in GiB. */
const cpuContextsGib = 4;
const adapterName = "attune-adapter";
const baseName = "attune-base";

function toServer(settings: VllmSettings, model: ModelToLoad, rank: number | undefined): ModelServer {
  const { program = "", maxSequences } = settings;
  const names = { base: baseName, adapter: adapterName };
  return {
    program,
    args: (port) => toVllmArgs(model, { port, names, rank, maxSequences }),
    // In the environment, because other users of the machine can read arguments.
    env: (key) => ({
      VLLM_API_KEY: key,
      VLLM_NO_USAGE_STATS: "1",
      // Else it takes 92 % of the machine's memory for contexts, and does not start where that is not free.
      ...(model.gpus.length === 0 && { VLLM_CPU_KVCACHE_SPACE: String(cpuContextsGib) }),
    }),
    servedName: model.adapterPath === undefined ? baseName : adapterName,
    toProgress: toVllmProgress,
    describe: async (served) => describe(served, maxSequences),
    toExtra: ({ top_k, repetition_penalty }) => ({
      ...(top_k > 0 && { top_k }),
      ...(repetition_penalty !== 1 && { repetition_penalty }),
    }),
  };
}

function describe({ models, logLines }: ServedModel, concurrency: number) {
  const took = logLines
    .map((line) => /Model loading took ([\d.]+) ?(GiB|GB)/.exec(line))
    .findLast((found) => found !== null);
  const memoryBytes = took === undefined || took === null ? null : Math.round(Number(took[1]) * 2 ** 30);
  // An adapter is listed without a length: it has that of its base.
  const base = models.find(({ id }) => id === baseName);
  return { contextLength: base?.contextLength ?? null, memoryBytes, concurrency };
}
