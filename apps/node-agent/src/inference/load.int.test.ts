import { readFileSync, writeFileSync } from "node:fs";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type FakeWorkerScript, writeFakeAdapter } from "@attune/testkit/fake-inference-worker-model.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listFamily } from "../process/end-group.ts";
import { createFakeTransformers } from "../engines/transformers/fake-transformers.fixture.ts";
import type { InferenceEngine } from "../engines/inference-engine.ts";
import { startTestInference, type TestInference } from "./inference.fixture.ts";

let run: TestInference;
beforeEach(async () => {
  run = await startTestInference({ gpuCount: 2 });
});
afterEach(async () => {
  await run[Symbol.asyncDispose]();
});

const processesOf = (loadId: string | null): readonly number[] =>
  listFamily({ runId: loadId ?? "", leader: undefined });

describe("a load", () => {
  test("answers at once, tells its stages, and comes to be ready", async () => {
    const path = await run.makeModel({ loadMs: 300 });
    const answer = await run.load({ model_path: path, task_id: "t1", node_id: "n1", gpus: 1, dtype: "bf16" });
    expect(answer).toMatchObject({ success: true, state: "starting", reason: null });
    const [starting] = run.sessions.status({ task_id: "t1" });
    expect(starting).toMatchObject({
      state: "starting",
      task_id: "t1",
      node_id: "n1",
      gpus: [0],
      engine: "transformers",
    });
    expect(run.leases.list()).toMatchObject([{ holder: `inference:${answer.load_id}`, gpus: [0] }]);
    const ready = await run.until(answer.load_id, "ready");
    expect(ready).toMatchObject({
      stage: null,
      context_length: 2048,
      memory_bytes: 4096,
      concurrency: 1,
      dtype: "bf16",
      pid: expect.any(Number),
      reason: null,
      log_tail: [],
    });
    expect(run.leases.uses().get(0)).toEqual({ use: "busy", holder: `inference:${answer.load_id}` });
  });

  test("of the same kind again joins it, while it loads and when it is ready", async () => {
    const path = await run.makeModel({ loadMs: 200 });
    const answers = await Promise.all([1, 2, 3].map(() => run.load({ model_path: path, task_id: "t" })));
    expect(new Set(answers.map(({ load_id }) => load_id)).size).toBe(1);
    const ready = await run.until(answers[0]?.load_id ?? null, "ready");
    expect(await run.load({ model_path: path, task_id: "t" })).toMatchObject({
      success: true,
      state: "ready",
      load_id: ready.load_id,
    });
    expect(run.sessions.status({})).toHaveLength(1);
  });

  test("of another kind for the same task is refused, or replaces it on request", async () => {
    const [first, second] = [await run.makeModel(), await run.makeModel()];
    const old = await run.loaded({ model_path: first, task_id: "t", gpu_id: 0 });
    expect(await run.load({ model_path: second, task_id: "t", gpu_id: 0 })).toMatchObject({
      success: false,
      load_id: null,
      reason: "TASK_HAS_OTHER_MODEL",
    });
    expect(run.sessions.status({})).toMatchObject([{ load_id: old.load_id, state: "ready" }]);
    const replaced = await run.loaded({ model_path: second, task_id: "t", gpu_id: 0, replace: true });
    expect(replaced).toMatchObject({ state: "ready", model_path: second, gpus: [0] });
    expect(run.sessions.status({})).toHaveLength(1);
    expect(processesOf(old.load_id)).toEqual([]);
  });

  test("is taken to be meant by whoever asks last, also while the checks of another one go on", async () => {
    const checks = Promise.withResolvers<undefined>();
    const { engine, processes } = createFakeTransformers();
    const slow: InferenceEngine = { ...engine, name: "vllm", check: () => checks.promise };
    await using node = await startTestInference({ engines: [slow], answerWithinMs: 1 });
    const [first, second] = [await node.makeModel(), await node.makeModel()];
    const old = await node.loaded({ model_path: first, task_id: "t" });
    const other = { model_path: second, task_id: "t", engine: "vllm" } as const;
    expect(await node.load({ ...other, replace: true })).toMatchObject({ success: true, state: "starting" });
    const same = { model_path: first, task_id: "t" };
    expect(await node.load(same)).toMatchObject({ success: false, reason: "TASK_HAS_OTHER_MODEL" });
    const last = node.load({ ...same, replace: true });
    checks.resolve(undefined);
    const { load_id: lastId } = await last;
    expect(lastId).not.toBe(old.load_id);
    expect(await node.until(lastId, "ready")).toMatchObject({ model_path: first });
    expect(node.sessions.status({})).toMatchObject([{ load_id: lastId }]);
    processes.close();
  });

  test("that cannot replace leaves the loaded model as it is", async () => {
    const old = await run.loaded({ model_path: await run.makeModel(), task_id: "t" });
    const answer = await run.load({ model_path: join(run.folder, "nothing"), task_id: "t", replace: true });
    expect(answer).toMatchObject({ success: false, reason: "MODEL_PATH_NOT_FOUND" });
    expect(run.sessions.status({})).toMatchObject([{ load_id: old.load_id, state: "ready" }]);
  });

  test("for more models than may be is refused", async () => {
    const path = await run.makeModel();
    for (const task of ["a", "b", "c", "d"]) await run.loaded({ model_path: path, task_id: task, gpus: 0 });
    expect(await run.load({ model_path: path, task_id: "e" })).toMatchObject({
      success: false,
      reason: "TOO_MANY_MODELS",
    });
  });
});

describe("what is known at once is told at once, and nothing is started:", () => {
  const refused = async (request: Parameters<TestInference["load"]>[0], reason: string) => {
    const answer = await run.load(request);
    expect(answer).toMatchObject({ success: false, state: "error", load_id: null, reason, hint: expect.any(String) });
    expect(run.sessions.status({})).toEqual([]);
    expect(run.leases.list()).toEqual([]);
    return answer.message;
  };

  test("a path that is not there", async () => {
    expect(await refused({ model_path: join(run.folder, "nothing") }, "MODEL_PATH_NOT_FOUND")).toContain("nothing");
  });
  test("a configuration that is not JSON", async () => {
    const path = await run.makeModel();
    writeFileSync(join(path, "config.json"), '{"model_type": ');
    expect(await refused({ model_path: path }, "MODEL_CORRUPT")).toContain("config.json is not JSON");
  });
  test("weights that were cut off", async () => {
    const path = await run.makeModel();
    await truncate(join(path, "model.safetensors"), readFileSync(join(path, "model.safetensors")).length - 1);
    expect(await refused({ model_path: path }, "MODEL_CORRUPT")).toContain("should have");
  });
  test("no weights", async () => {
    const path = await run.makeModel();
    await rm(join(path, "model.safetensors"));
    expect(await refused({ model_path: path }, "MODEL_PATH_NOT_FOUND")).toContain("no weights");
  });
  test("an adapter where a model should be", async () => {
    const path = await writeFakeAdapter(join(run.folder, "adapter"));
    expect(await refused({ model_path: path }, "MODEL_PATH_NOT_FOUND")).toContain("adapter_path");
  });
  test("an adapter of another base", async () => {
    const model_path = await run.makeModel();
    const adapter_path = await writeFakeAdapter(join(run.folder, "adapter"), { inputs: 16 });
    expect(await refused({ model_path, adapter_path }, "ADAPTER_MISMATCH")).toContain("4 × 4");
  });
  test("no such GPU", async () => {
    expect(await refused({ model_path: await run.makeModel(), gpu_indices: [7] }, "GPU_NOT_FOUND")).toContain("7");
  });
  test("GPUs asked for in two ways that differ", async () => {
    const model_path = await run.makeModel();
    expect(await refused({ model_path, gpu_id: 0, gpu_indices: [1] }, "GPU_REQUEST_INVALID")).toContain("gpu_id");
  });
  test("a GPU that somebody has, by name", async () => {
    await run.leases.acquire("job:train-7", { mode: "explicit", indices: [1] });
    const answer = await run.load({ model_path: await run.makeModel(), gpu_indices: "1" });
    expect(answer).toMatchObject({ success: false, reason: "GPU_BUSY", load_id: null });
    expect(answer.message).toContain("GPU 1 is held by job:train-7");
  });
  test("a model outside the folders that the node may read from", async () => {
    const [inside, outside] = [await run.makeModel(), await run.makeModel()];
    await using limited = await startTestInference({ allowedFolders: [inside] });
    expect(await limited.load({ model_path: outside })).toMatchObject({
      success: false,
      load_id: null,
      reason: "PATH_NOT_ALLOWED",
      message: expect.stringContaining(outside),
    });
    expect(await limited.loaded({ model_path: inside })).toMatchObject({ state: "ready" });
  });
  test("an engine that this node does not have", async () => {
    expect(await refused({ model_path: await run.makeModel(), engine: "vllm" }, "ENGINE_UNAVAILABLE")).toContain(
      "vllm",
    );
  });
});

describe("what goes wrong later is told in the status, with its reason and the end of the log:", () => {
  const failed = async (script: FakeWorkerScript, timeoutSeconds = 30) => {
    const path = await run.makeModel(script);
    const session = await run.loaded({ model_path: path, gpus: 1, timeout_seconds: timeoutSeconds, task_id: "t" });
    expect(session.state).toBe("error");
    const settled = await settledOf(session.load_id);
    expect(processesOf(session.load_id)).toEqual([]);
    expect(run.leases.list()).toEqual([]);
    return settled;
  };
  /** The engine's end follows the failure; the session has no process when it is over. */
  const settledOf = async (loadId: string) => {
    for (;;) {
      const [session] = run.sessions.status({ load_id: loadId });
      if (session === undefined) throw new Error("the session is gone");
      if (session.pid === null) return session;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  test("a worker that dies, by its log", async () => {
    const session = await failed({ loadMs: 50, faults: ["die-in-load"] });
    expect(session).toMatchObject({ reason: "MODEL_OUT_OF_MEMORY", stage: null, memory_bytes: null });
    expect(session.message).toContain("Tried to allocate 2 GiB");
    expect(session.log_tail.at(-1)).toContain("CUDA out of memory");
  });
  test("a worker that tells its error", async () => {
    const session = await failed({ loadMs: 50, faults: ["load-error"] });
    expect(session).toMatchObject({
      reason: "MODEL_UNSUPPORTED",
      message: expect.stringContaining("No such architecture."),
    });
  });
  test("a worker that hangs, with children that will not end", async () => {
    const session = await failed({ faults: ["hang-in-load", "leave-children", "ignore-end"] }, 1);
    expect(session).toMatchObject({ reason: "MODEL_LOAD_TIMEOUT", message: expect.stringContaining("1 seconds") });
  });
  test("a worker of another version of the protocol", async () => {
    expect(await failed({ loadMs: 200, faults: ["other-protocol"] })).toMatchObject({ reason: "ENGINE_UNAVAILABLE" });
  });
  test("and the next load of the task is a new one", async () => {
    const session = await failed({ loadMs: 50, faults: ["load-error"] });
    const again = await run.loaded({ model_path: await run.makeModel(), task_id: "t" });
    expect(again.state).toBe("ready");
    expect(run.sessions.status({}).map(({ load_id }) => load_id)).toEqual([again.load_id]);
    expect(again.load_id).not.toBe(session.load_id);
  });
});

describe("noise is no harm:", () => {
  test.each(["garbage", "half-lines", "flood-stderr"] as const)("%s", async (fault) => {
    const session = await run.loaded({ model_path: await run.makeModel({ faults: [fault] }) });
    expect(session.state).toBe("ready");
  });
});

describe("an unload", () => {
  test("ends when no process and no lease is left, also of a worker that will not end", async () => {
    const path = await run.makeModel({ faults: ["leave-children", "ignore-end"] });
    await using quick = await startTestInference({ gpuCount: 1, worker: { unloadGraceMs: 100 } });
    const session = await quick.loaded({ model_path: path, gpus: 1 });
    expect(processesOf(session.load_id).length).toBeGreaterThanOrEqual(3);
    const answer = await quick.sessions.unload({ load_id: session.load_id });
    expect(answer).toMatchObject({ success: true, state: "unloaded", load_id: session.load_id });
    expect(processesOf(session.load_id)).toEqual([]);
    expect(quick.leases.list()).toEqual([]);
    expect(quick.sessions.status({})).toEqual([]);
  });

  test("waits until the GPU shows no memory of its processes", async () => {
    const session = await run.loaded({ model_path: await run.makeModel(), gpus: 1 });
    run.devices.run(0, { pid: session.pid ?? 0, memoryMb: 900 });
    let isOver = false;
    const unloading = run.sessions.unload({}).finally(() => (isOver = true));
    while (processesOf(session.load_id).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(isOver).toBe(false);
    run.devices.run(0);
    expect(await unloading).toMatchObject({ success: true });
  });

  test("while it loads gives the load up and leaves no process", async () => {
    const path = await run.makeModel({ loadMs: 60_000, faults: ["leave-children"] });
    const { load_id: loadId } = await run.load({ model_path: path, gpus: 2 });
    while (run.sessions.status({})[0]?.pid === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await run.sessions.unload({})).toMatchObject({ success: true, load_id: loadId });
    expect(processesOf(loadId)).toEqual([]);
    expect(run.leases.list()).toEqual([]);
    expect(run.sessions.status({})).toEqual([]);
  });

  test("of what is not there says so", async () => {
    expect(await run.sessions.unload({ task_id: "nobody" })).toMatchObject({ success: true, state: "not_loaded" });
  });

  test("that could mean several is refused", async () => {
    const path = await run.makeModel();
    await run.loaded({ model_path: path, task_id: "a", gpus: 0 });
    await run.loaded({ model_path: path, task_id: "b", gpus: 0 });
    expect(await run.sessions.unload({})).toMatchObject({ success: false, reason: "MODEL_AMBIGUOUS" });
    expect(await run.sessions.unload({ task_id: "a" })).toMatchObject({ success: true });
    expect(run.sessions.status({})).toMatchObject([{ task_id: "b", state: "ready" }]);
  });
});

test("an engine that dies while it is ready makes an error of its session", async () => {
  const session = await run.loaded({ model_path: await run.makeModel(), gpus: 1 });
  process.kill(session.pid ?? 0, "SIGKILL");
  const failed = await run.until(session.load_id, "error");
  expect(failed).toMatchObject({ reason: "INFERENCE_ENGINE_DIED", message: expect.stringContaining("SIGKILL") });
  while (run.leases.list().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(processesOf(session.load_id)).toEqual([]);
});
