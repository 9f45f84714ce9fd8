import { join } from "node:path";
import { writeFakeModel } from "@attune/testkit/fake-inference-worker-model.ts";
import { describeInferenceEngine, plainModel } from "../inference-engine.contract.ts";
import { createFakeTransformers } from "./fake-transformers.fixture.ts";

describeInferenceEngine("transformers, with a fake worker", async (folder) => {
  const { engine, processes } = createFakeTransformers();
  const make = async (name: string, script = {}) => plainModel(await writeFakeModel(join(folder, name), script));
  return {
    engine,
    model: await make("model"),
    endless: await make("endless", { isEndless: true, tokenMs: 1 }),
    slow: await make("slow", { loadMs: 60_000, faults: ["leave-children", "ignore-end"] }),
    missing: plainModel(join(folder, "nothing")),
    otherFormat: plainModel(join(folder, "model.gguf")),
    hasProcess: true,
    [Symbol.asyncDispose]: async () => processes.close(),
  };
});
