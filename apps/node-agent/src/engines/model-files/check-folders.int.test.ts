import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSafetensors, writeFakeAdapter, writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { afterAll, describe, expect, test } from "vitest";
import { checkAdapterFolder } from "./check-adapter-folder.ts";
import { checkModelFolder } from "./check-model-folder.ts";

const root = mkdtempSync(join(tmpdir(), "attune-folders-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const config = { model_type: "llama" };
const write = (name: string, files: Readonly<Record<string, unknown>>): string => {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(folder, file), Buffer.isBuffer(content) ? content : JSON.stringify(content));
  }
  return folder;
};

describe("a model's folder", () => {
  const shards = {
    "one.safetensors": makeSafetensors({ "a.weight": [2] }),
    "two.safetensors": makeSafetensors({ "b.weight": [3] }),
  };
  const indexOf = (map: object) => ({ "model.safetensors.index.json": { weight_map: map } });
  const whole = indexOf({ "a.weight": "one.safetensors", "b.weight": "two.safetensors" });

  test("with several files of weights gives the tensors of all of them", async () => {
    const { tensors } = await checkModelFolder(write("shards", { "config.json": config, ...shards, ...whole }));
    expect(Object.fromEntries(tensors ?? [])).toEqual({ "a.weight": [2], "b.weight": [3] });
  });

  test("with weights of the older form is taken, and its shapes are not known", async () => {
    const folder = write("bin", { "config.json": config, "pytorch_model.bin": Buffer.from("PK") });
    expect((await checkModelFolder(folder)).tensors).toBeUndefined();
  });

  test.each([
    ["a missing file of weights", { ...whole, "one.safetensors": shards["one.safetensors"] }, "MODEL_PATH_NOT_FOUND"],
    [
      "a tensor that is not where the index says",
      { ...shards, ...indexOf({ "c.weight": "one.safetensors" }) },
      "MODEL_CORRUPT",
    ],
    [
      "an index that leads out of the folder",
      { ...shards, ...indexOf({ "a.weight": "../shards/one.safetensors" }) },
      "MODEL_CORRUPT",
    ],
    ["an index without a map", { ...shards, "model.safetensors.index.json": {} }, "MODEL_CORRUPT"],
    ["no model_type", { "config.json": {}, ...shards, ...whole }, "MODEL_UNSUPPORTED"],
  ])("with %s is refused", async (name, files, reason) => {
    const folder = write(name.replaceAll(" ", "-"), { "config.json": config, ...files });
    await expect(checkModelFolder(folder)).rejects.toMatchObject({ reason });
  });
});

describe("an adapter", () => {
  const base = async () => checkModelFolder(await writeFakeModel(join(root, "base")));

  test("that fits its base is taken, and tells its rank", async () => {
    const folder = await writeFakeAdapter(join(root, "fits"));
    expect(await checkAdapterFolder(folder, await base())).toEqual({ rank: 2 });
  });

  test.each([
    ["other inputs", { inputs: 8 }],
    ["other outputs", { outputs: 8 }],
  ])("with %s is of another base", async (_, shape) => {
    const folder = await writeFakeAdapter(join(root, JSON.stringify(shape).replaceAll(/\W/g, "")), shape);
    await expect(checkAdapterFolder(folder, await base())).rejects.toMatchObject({ reason: "ADAPTER_MISMATCH" });
  });

  test("of a base with more layers is of another base", async () => {
    const module = "base_model.model.model.layers";
    const tensors = Object.fromEntries(
      [0, 1].flatMap((layer) => [
        [`${module}.${layer}.self_attn.q_proj.lora_A.weight`, [2, 4]],
        [`${module}.${layer}.self_attn.q_proj.lora_B.weight`, [4, 2]],
      ]),
    ) as Record<string, number[]>;
    const folder = write("layers", {
      "adapter_config.json": { peft_type: "LORA" },
      "adapter_model.safetensors": makeSafetensors(tensors),
    });
    await expect(checkAdapterFolder(folder, await base())).rejects.toMatchObject({
      reason: "ADAPTER_MISMATCH",
      message: expect.stringContaining("layers.1"),
    });
  });

  test("whose modules have other names than the base's files is left to the engine", async () => {
    const tensors = {
      "base_model.model.other.q.lora_A.weight": [2, 9],
      "base_model.model.other.q.lora_B.weight": [9, 2],
    };
    const folder = write("names", {
      "adapter_config.json": { peft_type: "LORA", r: 2 },
      "adapter_model.safetensors": makeSafetensors(tensors),
    });
    expect(await checkAdapterFolder(folder, await base())).toEqual({ rank: 2 });
  });
});
