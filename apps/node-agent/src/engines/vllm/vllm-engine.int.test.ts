import { join } from "node:path";
import { createId } from "@attune/service-kit/create-id.ts";
import { writeFakeAdapter, writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { writeFakeProgram } from "@attune/testkit/write-fake-program.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngineLog } from "../create-engine-log.ts";
import { createEngineProcesses } from "../create-engine-processes.ts";
import { ask, collect, describeInferenceEngine, plainModel, textOf } from "../inference-engine.contract.ts";
import type { ModelToLoad } from "../inference-engine.ts";
import { createVllmEngine } from "./vllm-engine.ts";

const settings = { maxSequences: 8, stallMs: 20_000, unloadGraceMs: 5000 };

describeInferenceEngine("vllm, with a fake program", async (folder) => {
  const processes = createEngineProcesses({ PATH: "/usr/bin:/bin" });
  const program = await writeFakeProgram(folder, "vllm");
  const make = async (name: string) => plainModel(await writeFakeModel(join(folder, name)));
  return {
    engine: createVllmEngine({ program, ...settings }, processes),
    model: await make("model"),
    endless: await make("endless"),
    slow: await make("slow"),
    missing: plainModel(join(folder, "nothing")),
    otherFormat: plainModel(join(folder, "model.gguf")),
    hasProcess: true,
    [Symbol.asyncDispose]: async () => processes.close(),
  };
});

describe("vllm", () => {
  const processes = createEngineProcesses({ PATH: "/usr/bin:/bin" });
  let folder = "";
  let program = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "attune-vllm-"));
    program = await writeFakeProgram(folder, "vllm");
  });
  afterAll(async () => {
    processes.close();
    await rm(folder, { recursive: true, force: true });
  });
  const load = async (model: ModelToLoad) => {
    const sessionId = createId();
    const log = createEngineLog(join(folder, `${sessionId}.log`));
    const ports = { sessionId, folder, log, onProgress: () => undefined, onStarted: () => undefined };
    return createVllmEngine({ program, ...settings }, processes).load(model, ports, new AbortController().signal);
  };

  test("serves an adapter under its own name, on several GPUs, and tells its memory and context", async () => {
    const modelPath = await writeFakeModel(join(folder, "model"));
    const adapterPath = await writeFakeAdapter(join(folder, "adapter"));
    const model = {
      ...plainModel(modelPath),
      adapterPath,
      gpus: [0, 1],
      contextLength: 1024,
      quantisation: "nf4",
    } as const;
    const handle = await load(model);
    expect(handle).toMatchObject({ contextLength: 1024, memoryBytes: Math.round(14.9889 * 2 ** 30), concurrency: 8 });
    const events = await collect(handle.chat(ask("Hello"), new AbortController().signal));
    expect(textOf(events)).toBe("You said: Hello");
    await handle.unload();
  });

  test("says from its log why a load failed", async () => {
    const modelPath = await writeFakeModel(join(folder, "full"));
    await expect(load(plainModel(modelPath))).rejects.toMatchObject({
      reason: "MODEL_OUT_OF_MEMORY",
      message: expect.stringContaining("Free memory on device"),
    });
  });

  test("says what to do where it is not installed", async () => {
    const nothing = createVllmEngine({ program: undefined, ...settings }, processes);
    expect(await nothing.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("NODE_AGENT_VLLM_PROGRAM"),
    });
    const wrong = createVllmEngine({ program: join(folder, "no-such-program"), ...settings }, processes);
    expect(await wrong.report()).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("is not there"),
    });
    expect(await createVllmEngine({ program, ...settings }, processes).report()).toMatchObject({
      versions: { vllm: "0.23.0" },
    });
  });
});
