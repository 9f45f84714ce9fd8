import { AppError } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { NodeCuda } from "../node-cuda.ts";
import type { EngineProcesses } from "../engine-process.ts";
import type { InferenceEngine, LoadProgress, ModelToLoad } from "../inference-engine.ts";
import type { EngineReport } from "../job-engine.ts";
import { askVersion } from "../ask-version.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { toOptions } from "../to-options.ts";
import { checkGgufFile } from "../model-files/check-gguf-file.ts";
import {
  loadServedModel,
  type ModelServer,
  type ServedModel,
  type ServerSettings,
} from "../openai-compatible/load-served-model.ts";

export interface LlamaServerSettings extends ServerSettings {
  /** Absolute path of `llama-server` of llama.cpp; undefined where there is none. */
  readonly program: string | undefined;
  /** Threads that it computes with on the CPU; more than there are idle cores make it many times slower. */
  readonly threads: number;
  /** Chats at once; each has its share of the memory for contexts. */
  readonly parallel: number;
  /** MiB of the machine's memory for the beginnings of chats; of itself it takes up to 8 GiB. */
  readonly cacheMib: number;
  /** Of this node, as it is now; undefined where there is no GPU that can be used. */
  readonly findCuda?: (() => NodeCuda | undefined) | undefined;
}

export const llamaServerName = "llama_server";

/** `llama-server` of llama.cpp for one GGUF file, with at most one LoRA adapter in GGUF. */
export function createLlamaServerEngine(settings: LlamaServerSettings, processes: EngineProcesses): InferenceEngine {
  return {
    name: llamaServerName,
    report: keepForAMinute(() => report(settings)),
    canLoad: ({ modelPath }) => Promise.resolve(isGguf(modelPath)),
    check,
    load: (model, ports, signal) =>
      loadServedModel({ server: toServer(settings, model), model, ports, processes, settings }, signal),
  };
}

const isGguf = (path: string): boolean => path.toLowerCase().endsWith(".gguf");

async function report({ program, findCuda }: LlamaServerSettings): Promise<EngineReport> {
  const asked =
    program === undefined
      ? "Set NODE_AGENT_LLAMA_SERVER_PROGRAM to the program `llama-server` of llama.cpp."
      : await askVersion(program, ["--version"]);
  const isThere = typeof asked !== "string";
  const hasGpu = findCuda?.() !== undefined;
  return {
    name: llamaServerName,
    description: "GGUF files and LoRA adapters in GGUF, by llama.cpp, on CPU, or GPU where it is built for it",
    supports: ["gguf", "lora", "cpu", ...(hasGpu ? ["gpu"] : [])],
    available: isThere,
    unavailableReason: isThere ? "" : asked,
    versions: isThere ? { "llama.cpp": asked.version } : {},
  };
}

async function check({ modelPath, adapterPath, dtype, quantisation }: ModelToLoad): Promise<void> {
  await checkGgufFile(modelPath);
  if (adapterPath !== undefined) await checkGgufFile(adapterPath);
  if (dtype === "auto" && quantisation === "none") return;
  throw new AppError("MODEL_UNSUPPORTED", { detail: "A GGUF file has its own dtype and quantisation." });
}

const servedName = "attune-model";

function toServer(settings: LlamaServerSettings, model: ModelToLoad): ModelServer {
  const { program = "", parallel, cacheMib } = settings;
  return {
    program,
    args: (port) => toArgs(settings, model, port),
    // The key in the environment, because other users of the machine can read arguments; the cache, because older ones have none.
    env: (key) => ({ LLAMA_API_KEY: key, LLAMA_ARG_CACHE_RAM: String(cacheMib) }),
    servedName,
    toProgress,
    describe: (served) => describe(served, parallel),
    toExtra: ({ top_k, repetition_penalty }, contextLength) => ({
      // Of itself it takes the best 40 tokens, and of these none with less than a twentieth of the best one's chance.
      top_k,
      min_p: 0,
      // It looks back on 64 tokens, and not on all.
      ...(repetition_penalty !== 1 && { repeat_penalty: repetition_penalty }),
      ...(repetition_penalty !== 1 && contextLength !== null && { repeat_last_n: contextLength }),
    }),
  };
}

function toArgs({ threads, parallel }: LlamaServerSettings, model: ModelToLoad, port: number): readonly string[] {
  const { modelPath, adapterPath, gpus, contextLength } = model;
  const options = {
    model: modelPath,
    alias: servedName,
    host: "127.0.0.1",
    port,
    threads,
    parallel,
    "n-gpu-layers": gpus.length === 0 ? 0 : 999,
    // It is shared among the chats; 0 is the model's own.
    "ctx-size": (contextLength ?? 0) * parallel,
    lora: adapterPath,
    // What a model thinks is part of its answer, as with every other engine.
    "reasoning-format": "none",
  };
  return [...toOptions(options), "--no-webui"];
}

function toProgress(lines: readonly string[]): LoadProgress | undefined {
  for (const line of lines.toReversed()) {
    if (/warming up|chat template/i.test(line)) return { stage: "warmup" };
    if (/lora/i.test(line)) return { stage: "adapter" };
    if (/load_tensors|loading model tensors/i.test(line)) return { stage: "weights" };
    if (/loading model|llama_model_loader|main: load/i.test(line)) return { stage: "config" };
  }
  return undefined;
}

const propsSchema = z.object({
  total_slots: z.int().positive().optional(),
  default_generation_settings: z.object({ n_ctx: z.int().positive().optional() }).optional(),
});

const listSchema = z.object({
  data: z.array(z.object({ id: z.string(), meta: z.object({ size: z.int().positive() }).nullish() })),
});

async function describe({ ask, listed }: ServedModel, parallel: number) {
  const props = propsSchema.safeParse(await ask("/props")).data;
  // Its log tells the sizes of buffers only in some versions.
  const list = listSchema.safeParse(await ask("/v1/models")).data?.data ?? [];
  return {
    contextLength: props?.default_generation_settings?.n_ctx ?? null,
    memoryBytes: list.find(({ id }) => id === listed.id)?.meta?.size ?? null,
    concurrency: props?.total_slots ?? parallel,
  };
}
