import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test, vi } from "vitest";
import type { InferenceEngine, LoadedModel } from "../engines/inference-engine.ts";
import { startTestInference } from "./inference.fixture.ts";

/** An engine without a process, which loads as it is told to. */
const makeEngine = (load: InferenceEngine["load"]): InferenceEngine => ({
  name: "openai_compatible",
  report: async () => ({
    name: "openai_compatible",
    description: "For tests",
    supports: [],
    available: true,
    unavailableReason: "",
    versions: {},
  }),
  canLoad: async () => true,
  check: async () => undefined,
  load,
});

const makeModel = (model: Partial<LoadedModel>): LoadedModel => ({
  contextLength: null,
  memoryBytes: null,
  concurrency: 1,
  ended: new Promise(() => undefined),
  chat: () => {
    throw new Error("nobody chats here");
  },
  unload: async () => undefined,
  ...model,
});

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "an unload that comes %d steps after the engine has loaded is no failure",
  async (steps) => {
    const asked = Promise.withResolvers<void>();
    const loaded = Promise.withResolvers<LoadedModel>();
    const left = Promise.withResolvers<void>();
    const engine = makeEngine(() => {
      asked.resolve();
      return loaded.promise;
    });
    await using run = await startTestInference({ engines: [engine] });
    const answered = run.load({ model_path: "/m", engine: "openai_compatible", task_id: "t" });
    await asked.promise;
    loaded.resolve(makeModel({ unload: () => left.promise }));
    for (let step = 0; step < steps; step++) await Promise.resolve();
    const unloaded = run.sessions.unload({ task_id: "t" });
    await nextTurn();
    expect(run.sessions.status({ task_id: "t" })).toMatchObject([{ state: "unloading", reason: null }]);
    left.resolve();
    expect(await unloaded).toMatchObject({ success: true, state: "unloaded" });
    await answered;
  },
);

test("a model whose process cannot be ended keeps its GPU, however many other loads fail after it", async () => {
  const died = Promise.withResolvers<Error>();
  const answered = Promise.withResolvers<void>();
  const engine = makeEngine(async ({ modelPath }, { onStarted }) => {
    if (modelPath !== "/stuck") {
      await answered.promise;
      throw new AppError("MODEL_CORRUPT");
    }
    onStarted(process.pid);
    const unload = async (): Promise<void> => {
      throw new AppError("MODEL_UNLOAD_INCOMPLETE");
    };
    return makeModel({ ended: died.promise, unload });
  });
  await using run = await startTestInference({ engines: [engine], gpuCount: 1, maxModels: 100 });
  const stuck = await run.loaded({ model_path: "/stuck", engine: "openai_compatible", task_id: "stuck", gpus: 1 });
  died.resolve(new AppError("INFERENCE_ENGINE_DIED"));
  await run.until(stuck.load_id, "error");
  const tasks = Array.from({ length: 60 }, (_, index) => `t-${index}`);
  await Promise.all(
    tasks.map((task_id) => run.load({ model_path: "/m", engine: "openai_compatible", task_id, gpus: 0 })),
  );
  answered.resolve();
  await vi.waitFor(() => expect(run.sessions.status({}).filter(({ state }) => state === "starting")).toEqual([]));
  // Those that failed are forgotten when the next one is asked for.
  await run.load({ model_path: "/m", engine: "openai_compatible", task_id: "last", gpus: 0 });
  expect(run.sessions.isLive(`inference:${stuck.load_id}`)).toBe(true);
  expect(run.sessions.status({ task_id: "stuck" })).toMatchObject([{ state: "error" }]);
  expect(run.sessions.status({})).toHaveLength(52);
  expect(run.leases.uses().get(0)).toMatchObject({ use: "busy" });
});
