import type { Environment } from "@attune/service-kit/load-config.ts";
import type { NodeCuda } from "./node-cuda.ts";
import type { EngineProcesses } from "./engine-process.ts";
import type { InferenceEngineSettings } from "./inference-engine-settings.ts";
import type { InferenceEngine } from "./inference-engine.ts";
import { createLlamaServerEngine } from "./llama-server/llama-server-engine.ts";
import { createOpenaiCompatibleEngine } from "./openai-compatible/openai-compatible-engine.ts";
import type { PythonSetup } from "./python-setup/python-setup.ts";
import { createTransformersReport } from "./transformers/report-transformers.ts";
import { createTransformersEngine, type WorkerSettings } from "./transformers/transformers-engine.ts";
import { createVllmEngine } from "./vllm/vllm-engine.ts";

export interface InferenceEngineParts {
  readonly processes: EngineProcesses;
  /** Of the agent. */
  readonly environment: Environment;
  /** The interpreter of the environment of `npm run setup:python`, and the folder of attune_trainer. */
  readonly python: { readonly program: string; readonly sources: string };
  /** Makes that environment when it is first needed; undefined where a person does. */
  readonly setup?: PythonSetup | undefined;
  readonly worker: WorkerSettings;
  readonly settings: InferenceEngineSettings;
  /** Of this node, as it is now; undefined where there is no GPU that can be used. */
  readonly findCuda: () => NodeCuda | undefined;
}

/** Every engine that holds models; of those that can be used, the first one that reads a model's format is taken. */
export function createInferenceEngines(parts: InferenceEngineParts): readonly InferenceEngine[] {
  const { processes, environment, python, worker, settings, setup, findCuda } = parts;
  const { stallMs } = worker;
  return [
    createTransformersEngine({
      processes,
      worker: { program: python.program, args: ["-m", "attune_trainer.serve"], env: { PYTHONPATH: python.sources } },
      report: createTransformersReport({ python: python.program, environment, setup, findCuda }),
      makeAvailable: setup?.begin,
      settings: worker,
    }),
    createLlamaServerEngine({ ...settings.llamaServer, ...worker, findCuda }, processes),
    createVllmEngine({ ...settings.vllm, ...worker, environment, findCuda }, processes),
    createOpenaiCompatibleEngine({ ...settings.openaiCompatible, stallMs }),
  ];
}
