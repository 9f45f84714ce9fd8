import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { isJsonObject, type JsonObject, readModelJson, toFileError } from "./read-model-json.ts";
import { readSafetensorsHeader, type TensorShapes } from "./read-safetensors-header.ts";

export interface ModelFolder {
  readonly config: JsonObject;
  /** Shapes of its weights by name; undefined when they are not in safetensors files. */
  readonly tensors: TensorShapes | undefined;
}

/**
 * Looks, in milliseconds and before anything is started, whether a folder holds a model in the form of Hugging Face: its
 * configuration can be read and its weights are there and whole.
 * @throws AppError MODEL_PATH_NOT_FOUND, MODEL_CORRUPT, MODEL_UNSUPPORTED
 */
export async function checkModelFolder(folder: string): Promise<ModelFolder> {
  const names = await listFolder(folder);
  // Both at once, because each waits for the disk several times; of two faults that of the configuration is told.
  const weights = readWeights(folder, names);
  weights.catch(() => undefined);
  const config = await readModelJson(join(folder, "config.json"));
  if (config === undefined) throw noConfiguration(names);
  if (typeof config["model_type"] !== "string") {
    throw new AppError("MODEL_UNSUPPORTED", { detail: "Its config.json names no model_type." });
  }
  return { config, tensors: await weights };
}

/** @throws AppError MODEL_PATH_NOT_FOUND */
export async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR" && (await isFile(folder))) {
      throw new AppError("MODEL_UNSUPPORTED", { detail: `${basename(folder)} is a file, and a folder is needed.` });
    }
    throw toFileError(error, folder);
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

function noConfiguration(names: readonly string[]): AppError {
  const detail = names.includes("adapter_config.json")
    ? "The folder is an adapter: give it as adapter_path, and its base model as model_path."
    : "The folder has no config.json.";
  return new AppError("MODEL_PATH_NOT_FOUND", { detail });
}

const singleFile = "model.safetensors";
const indexFile = "model.safetensors.index.json";
const otherWeights = /^(pytorch_model.*\.bin|.*\.safetensors)$/;

// The same order in which transformers looks for them: one file, then an index, then the older format.
async function readWeights(folder: string, names: readonly string[]): Promise<TensorShapes | undefined> {
  if (names.includes(singleFile)) return readSafetensorsHeader(join(folder, singleFile));
  const index = await readModelJson(join(folder, indexFile));
  if (index !== undefined) return readShards(folder, index);
  if (!names.some((name) => otherWeights.test(name))) {
    throw new AppError("MODEL_PATH_NOT_FOUND", { detail: "The folder has no weights (model.safetensors)." });
  }
  return undefined;
}

async function readShards(folder: string, index: JsonObject): Promise<TensorShapes> {
  const map = index["weight_map"];
  if (!isJsonObject(map)) throw new AppError("MODEL_CORRUPT", { detail: `${indexFile} has no weight_map.` });
  const files = [...new Set(Object.values(map))].map((file) => {
    if (typeof file === "string" && basename(file) === file) return file;
    throw new AppError("MODEL_CORRUPT", { detail: `${indexFile} names a file outside the folder.` });
  });
  const shards = new Map(
    await Promise.all(files.map(async (file) => [file, await readSafetensorsHeader(join(folder, file))] as const)),
  );
  const tensors = new Map<string, readonly number[]>();
  for (const [name, file] of Object.entries(map)) {
    const shape = shards.get(file as string)?.get(name);
    if (shape === undefined) {
      throw new AppError("MODEL_CORRUPT", { detail: `${String(file)} lacks the tensor ${name} that the index names.` });
    }
    tensors.set(name, shape);
  }
  return tensors;
}
