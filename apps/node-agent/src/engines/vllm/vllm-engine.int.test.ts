import { join } from "node:path";
import { createId } from "@attune/service-kit/create-id.ts";
import { writeFakeAdapter, writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { writeFakeProgram } from "@attune/testkit/write-fake-program.ts";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngineLog } from "../create-engine-log.ts";
import { createEngineProcesses } from "../create-engine-processes.ts";
import { ask, collect, describeInferenceEngine, plainModel, textOf } from "../inference-engine.contract.ts";
import type { ModelToLoad } from "../inference-engine.ts";
import { createVllmEngine, type VllmSettings } from "./vllm-engine.ts";

const settings = { maxSequences: 8, stallMs: 20_000, unloadGraceMs: 5000, environment: { PATH: "/usr/bin:/bin" } };
const onGpus = { ...settings, findCuda: () => ({ version: "13.0" }) };

/** Passes for the interpreter beside the program, which has these packages. */
async function writePython(folder: string, versions: Readonly<Record<string, string>>): Promise<void> {
  const path = join(folder, "python");
  await writeFile(path, `#!/bin/sh\necho '${JSON.stringify({ python: "3.12.1", ...versions })}'\n`);
  await chmod(path, 0o755);
}
const forCpu = { vllm: "0.32.0+cpu", torch: "2.13.0+cpu" };
const forGpus = { vllm: "0.32.0", torch: "2.13.0", cuda: "13.0" };

describeInferenceEngine("vllm, with a fake program", async (folder) => {
  const processes = createEngineProcesses({ PATH: "/usr/bin:/bin" });
  const program = await writeFakeProgram(folder, "vllm");
  await writePython(folder, forCpu);
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
    await writePython(folder, forGpus);
  });
  afterAll(async () => {
    processes.close();
    await rm(folder, { recursive: true, force: true });
  });
  const load = async (model: ModelToLoad) => {
    const sessionId = createId();
    const log = createEngineLog(join(folder, `${sessionId}.log`));
    const ports = { sessionId, folder, log, onProgress: () => undefined, onStarted: () => undefined };
    return createVllmEngine({ program, ...onGpus }, processes).load(model, ports, new AbortController().signal);
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
    await expect(load({ ...plainModel(modelPath), gpus: [0] })).rejects.toMatchObject({
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
  });

  test("says what it can be used for on this node", async () => {
    const reportOf = async (versions: Readonly<Record<string, string>>, findCuda?: VllmSettings["findCuda"]) => {
      await writePython(folder, versions);
      return createVllmEngine({ program, ...settings, findCuda }, processes).report();
    };
    const cuda = () => ({ version: "13.0" });
    expect(await reportOf(forGpus, cuda)).toMatchObject({
      available: true,
      supports: ["huggingface", "lora", "gpu"],
      versions: forGpus,
    });
    expect((await reportOf({ ...forGpus, bitsandbytes: "0.50.0" }, cuda)).supports).toContain("nf4");
    expect(await reportOf(forGpus)).toMatchObject({
      available: false,
      supports: ["huggingface", "lora", "gpu"],
      unavailableReason: expect.stringContaining("this node has no GPU that can be used"),
    });
    expect(await reportOf(forGpus, () => ({ version: "12.8" }))).toMatchObject({
      available: false,
      unavailableReason: expect.stringContaining("the driver has 12.8"),
    });
    for (const found of [undefined, cuda]) {
      const report = await reportOf(forCpu, found);
      expect(report).toMatchObject({ available: true, supports: ["huggingface", "lora", "cpu"] });
    }
    await writePython(folder, forGpus);
  });

  test("asks the program itself where no interpreter lies beside it", async () => {
    const alone = await mkdtemp(join(folder, "alone-"));
    const lonely = await writeFakeProgram(alone, "vllm");
    const report = await createVllmEngine({ ...onGpus, program: lonely }, processes).report();
    expect(report).toMatchObject({ available: true, versions: { vllm: "0.32.0" } });
  });

  test("refuses to compute where it was not built for", async () => {
    const model = plainModel(await writeFakeModel(join(folder, "model")));
    const engine = createVllmEngine({ program, ...onGpus }, processes);
    await expect(engine.check(model)).rejects.toMatchObject({ reason: "MODEL_UNSUPPORTED" });
    await engine.check({ ...model, gpus: [0] });
    await writePython(folder, forCpu);
    const onCpu = createVllmEngine({ program, ...onGpus }, processes);
    await expect(onCpu.check({ ...model, gpus: [0] })).rejects.toMatchObject({ reason: "MODEL_UNSUPPORTED" });
    await onCpu.check(model);
    await writePython(folder, forGpus);
  });
});
