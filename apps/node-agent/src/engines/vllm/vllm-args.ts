import type { ModelToLoad } from "../inference-engine.ts";
import { toOptions } from "../to-options.ts";

export interface VllmArgsOptions {
  readonly port: number;
  readonly names: { readonly base: string; readonly adapter: string };
  /** Rank of the adapter, where it is known. */
  readonly rank: number | undefined;
  readonly maxSequences: number;
}

const dtypes = { auto: "auto", bf16: "bfloat16", fp16: "float16", fp32: "float32" } as const;

/** The values that vLLM takes for `--max-lora-rank`. */
const ranks = [8, 16, 32, 64, 128, 256, 320, 512];

/** Arguments of `vllm serve`. */
export function toVllmArgs(model: ModelToLoad, options: VllmArgsOptions): readonly string[] {
  const { modelPath, adapterPath, gpus, dtype, quantisation, contextLength } = model;
  const { port, names, rank = 16, maxSequences } = options;
  const common = {
    host: "127.0.0.1",
    port,
    "served-model-name": names.base,
    dtype: dtypes[dtype],
    "max-num-seqs": maxSequences,
    // Else what the model's folder advises would win over what a chat does not set.
    "generation-config": "vllm",
    "tensor-parallel-size": gpus.length > 1 ? gpus.length : undefined,
    "max-model-len": contextLength,
    quantization: quantisation === "nf4" ? "bitsandbytes" : undefined,
  };
  if (adapterPath === undefined) return ["serve", modelPath, ...toOptions(common)];
  const lora = {
    "max-loras": 1,
    "max-lora-rank": ranks.find((value) => value >= rank) ?? rank,
    // As JSON, because of `name=path` a path with a comma is not taken.
    "lora-modules": JSON.stringify({ name: names.adapter, path: adapterPath }),
  };
  return ["serve", modelPath, ...toOptions(common), "--enable-lora", ...toOptions(lora)];
}
