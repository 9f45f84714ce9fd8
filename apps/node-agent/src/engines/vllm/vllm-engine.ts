import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { EngineProcesses } from "../engine-process.ts";
import type { InferenceEngine, ModelToLoad } from "../inference-engine.ts";
import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { checkAdapterFolder } from "../model-files/check-adapter-folder.ts";
import { checkModelFolder } from "../model-files/check-model-folder.ts";
import {
  loadServedModel,
  type ModelServer,
  type ServedModel,
  type ServerSettings,
} from "../openai-compatible/load-served-model.ts";
import { askVersion } from "../ask-version.ts";
import { toVllmProgress } from "./to-vllm-progress.ts";
import { toVllmArgs } from "./vllm-args.ts";

export interface VllmSettings extends ServerSettings {
  /** Absolute path of `vllm` in an environment of its own; undefined where there is none. */
  readonly program: string | undefined;
  /** Sequences that it works on at once. */
  readonly maxSequences: number;
}

export const vllmName = "vllm";

/** `vllm serve` for one model, with at most one LoRA adapter. */
export function createVllmEngine(settings: VllmSettings, processes: EngineProcesses): InferenceEngine {
  return {
    name: vllmName,
    report: keepForAMinute(() => report(settings)),
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

async function report({ program }: VllmSettings): Promise<EngineReport> {
  const asked =
    program === undefined
      ? "Set NODE_AGENT_VLLM_PROGRAM to the program `vllm` of an environment made with `pip install vllm`."
      : await askVersion(program, ["--version"]);
  const isThere = typeof asked !== "string";
  return {
    name: vllmName,
    description: "Base models and LoRA adapters in the form of Hugging Face, by vLLM, for many chats at once on GPUs",
    supports: ["huggingface", "lora", "nf4", "gpu"],
    available: isThere,
    unavailableReason: isThere ? "" : asked,
    versions: isThere ? { vllm: asked.version } : {},
  };
}

async function check({
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

const adapterName = "attune-adapter";
const baseName = "attune-base";

function toServer(settings: VllmSettings, model: ModelToLoad, rank: number | undefined): ModelServer {
  const { program = "", maxSequences } = settings;
  const names = { base: baseName, adapter: adapterName };
  return {
    program,
    args: (port) => toVllmArgs(model, { port, names, rank, maxSequences }),
    // In the environment, because other users of the machine can read arguments.
    env: (key) => ({ VLLM_API_KEY: key, VLLM_NO_USAGE_STATS: "1" }),
    servedName: model.adapterPath === undefined ? baseName : adapterName,
    toProgress: toVllmProgress,
    describe: async (served) => describe(served, maxSequences),
    extraNames: { topK: "top_k", repetitionPenalty: "repetition_penalty" },
  };
}

function describe({ listed, logLines }: ServedModel, concurrency: number) {
  const took = logLines
    .map((line) => /Model loading took ([\d.]+) ?(GiB|GB)/.exec(line))
    .findLast((found) => found !== null);
  const memoryBytes = took === undefined || took === null ? null : Math.round(Number(took[1]) * 2 ** 30);
  return { contextLength: listed.contextLength, memoryBytes, concurrency };
}
