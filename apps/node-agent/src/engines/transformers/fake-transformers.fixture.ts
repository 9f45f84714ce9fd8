import { join } from "node:path";
import { createEngineProcesses } from "../create-engine-processes.ts";
import type { EngineProcesses } from "../engine-process.ts";
import type { InferenceEngine } from "../inference-engine.ts";
import { createTransformersEngine, type WorkerSettings } from "./transformers-engine.ts";

const program = join(import.meta.dirname, "../../../../../packages/testkit/src/fake-inference-worker.ts");

export interface FakeTransformers {
  readonly engine: InferenceEngine;
  readonly processes: EngineProcesses;
}

/** The transformers engine with a worker that speaks its protocol and holds no model. */
export function createFakeTransformers(settings: Partial<WorkerSettings> = {}): FakeTransformers {
  const processes = createEngineProcesses({});
  const engine = createTransformersEngine({
    processes,
    worker: { program: process.execPath, args: [program], env: {} },
    report: async () => ({
      name: "transformers",
      description: "A worker that holds no model",
      supports: ["huggingface"],
      available: true,
      unavailableReason: "",
      versions: {},
    }),
    settings: { stallMs: 20_000, cancelGraceMs: 10_000, unloadGraceMs: 5000, ...settings },
  });
  return { engine, processes };
}
