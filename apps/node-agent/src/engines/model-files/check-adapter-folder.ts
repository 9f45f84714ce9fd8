import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { listFolder, type ModelFolder } from "./check-model-folder.ts";
import { readModelJson } from "./read-model-json.ts";
import { readSafetensorsHeader, type TensorShapes } from "./read-safetensors-header.ts";

export interface AdapterFolder {
  /** Its rank, where its configuration tells one. */
  readonly rank: number | undefined;
}

/**
 * Looks, in milliseconds, whether an adapter in the form of PEFT is whole and fits the base model. The base is judged by the
 * shapes of its weights and not by the name in the adapter's configuration, because a name says nothing of what lies there.
 * @throws AppError MODEL_PATH_NOT_FOUND, MODEL_CORRUPT, MODEL_UNSUPPORTED, ADAPTER_MISMATCH
 */
export async function checkAdapterFolder(folder: string, base: ModelFolder): Promise<AdapterFolder> {
  const names = await listFolder(folder);
  const config = await readModelJson(join(folder, "adapter_config.json"));
  if (config === undefined) {
    throw new AppError("MODEL_PATH_NOT_FOUND", { detail: "The adapter's folder has no adapter_config.json." });
  }
  if (typeof config["peft_type"] !== "string") {
    throw new AppError("MODEL_UNSUPPORTED", { detail: "Its adapter_config.json names no peft_type." });
  }
  const weights = "adapter_model.safetensors";
  if (names.includes(weights)) checkShapes(await readSafetensorsHeader(join(folder, weights)), base);
  else if (!names.includes("adapter_model.bin")) {
    throw new AppError("MODEL_PATH_NOT_FOUND", { detail: `The adapter's folder has no ${weights}.` });
  }
  const rank = config["r"];
  return { rank: typeof rank === "number" ? rank : undefined };
}

function checkShapes(adapter: TensorShapes, { tensors: base, config }: ModelFolder): void {
  // The weights of a quantised model are packed, so that their shapes say nothing.
  if (base === undefined || config["quantization_config"] !== undefined) return;
  const pairs = [...adapter.keys()].filter((key) => key.endsWith(".lora_A.weight")).map(toPair);
  const known = pairs.filter(({ target }) => base.has(target));
  // An engine may rename modules while it reads; then none has a name that the files have, and the engine judges.
  if (known.length === 0) return;
  for (const pair of pairs) {
    const shape = base.get(pair.target);
    if (shape === undefined) throw mismatch(`the base model has no ${pair.target}`);
    checkPair({ a: adapter.get(pair.a), b: adapter.get(pair.b), shape, target: pair.target });
  }
}

interface PairShapes {
  readonly a: readonly number[] | undefined;
  readonly b: readonly number[] | undefined;
  readonly shape: readonly number[];
  readonly target: string;
}

/** A is rank × inputs, B is outputs × rank. */
function checkPair({ a, b, shape, target }: PairShapes): void {
  if (b === undefined) throw new AppError("MODEL_CORRUPT", { detail: `The adapter has only half of ${target}.` });
  if (a?.length !== 2 || b.length !== 2 || shape.length !== 2) return;
  const [rank = 0, inputs = 0] = a;
  const [outputs = 0, rankOfB = 0] = b;
  if (rank !== rankOfB) throw new AppError("MODEL_CORRUPT", { detail: `The ranks of ${target} differ.` });
  // Some architectures keep their weights transposed (GPT-2's Conv1D).
  const fits = [shape, shape.toReversed()].some(([rows, columns]) => rows === outputs && columns === inputs);
  if (!fits) throw mismatch(`${target} is ${shape.join(" × ")}, and the adapter's part is for ${outputs} × ${inputs}`);
}

const mismatch = (why: string): AppError => new AppError("ADAPTER_MISMATCH", { detail: `In particular ${why}.` });

const prefix = "base_model.model.";
function toPair(a: string): { readonly a: string; readonly b: string; readonly target: string } {
  const module = a.slice(a.startsWith(prefix) ? prefix.length : 0, -".lora_A.weight".length);
  return { a, b: a.replace(/\.lora_A\.weight$/, ".lora_B.weight"), target: `${module}.weight` };
}
