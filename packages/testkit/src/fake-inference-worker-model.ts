import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Ways in which the fake worker goes wrong. */
export type FakeWorkerFault =
  | "load-error"
  | "die-in-load"
  | "hang-in-load"
  | "other-protocol"
  | "garbage"
  | "half-lines"
  | "flood-stderr"
  | "wrong-request"
  | "lose-delta"
  | "die-in-chat"
  | "stall-in-chat"
  | "error-in-chat"
  | "ignore-cancel"
  | "ignore-end"
  | "leave-children";

/** What a fake worker does with this model. */
export interface FakeWorkerScript {
  /** What it says to everything; without, it repeats the last message. */
  readonly tokens?: readonly string[];
  /** It says its tokens again and again. */
  readonly isEndless?: boolean;
  /** Wait before each token, in ms. */
  readonly tokenMs?: number;
  /** It makes a token for each byte of this file, and waits for more. */
  readonly stepsFile?: string;
  /** JSON lines of what it did: `{"did":"token"|"cancel"|"start"}`. */
  readonly recordFile?: string;
  readonly loadMs?: number;
  readonly concurrency?: number;
  readonly faults?: readonly FakeWorkerFault[];
}

/** A folder that passes for a model of Hugging Face: its configuration, and weights of a few bytes. */
export async function writeFakeModel(folder: string, script: FakeWorkerScript = {}): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "config.json"),
    JSON.stringify({ model_type: "llama", architectures: ["LlamaForCausalLM"] }),
  );
  await writeFile(join(folder, "model.safetensors"), makeSafetensors(fakeTensors));
  await writeFile(join(folder, "fake-worker.json"), JSON.stringify(script));
  return folder;
}

const fakeTensors: Readonly<Record<string, readonly number[]>> = {
  "model.embed_tokens.weight": [8, 4],
  "model.layers.0.self_attn.q_proj.weight": [4, 4],
  "model.layers.0.mlp.up_proj.weight": [6, 4],
};

/** A LoRA adapter in the form of PEFT; by default it fits the fake model. */
export async function writeFakeAdapter(
  folder: string,
  {
    inputs = 4,
    outputs = 4,
    layer = 0,
  }: { readonly inputs?: number; readonly outputs?: number; readonly layer?: number } = {},
): Promise<string> {
  const module = `base_model.model.model.layers.${layer}.self_attn.q_proj`;
  const tensors = { [`${module}.lora_A.weight`]: [2, inputs], [`${module}.lora_B.weight`]: [outputs, 2] };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "adapter_config.json"), JSON.stringify({ peft_type: "LORA", r: 2, lora_alpha: 4 }));
  await writeFile(join(folder, "adapter_model.safetensors"), makeSafetensors(tensors));
  return folder;
}

/** A whole safetensors file whose tensors are zeros of F32. */
export function makeSafetensors(tensors: Readonly<Record<string, readonly number[]>>): Buffer {
  let at = 0;
  const entries = Object.entries(tensors).map(([name, shape]) => {
    const begin = at;
    at += 4 * shape.reduce((product, side) => product * side, 1);
    return [name, { dtype: "F32", shape, data_offsets: [begin, at] }] as const;
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(at)]);
}
