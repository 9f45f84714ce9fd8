import { delimiter } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { JobEngine, LaunchCommand, LaunchRequest } from "../job-engine.ts";
import { launchPython } from "../launch-python.ts";
import type { PythonPorts } from "../probe-python.ts";
import { createLlamaFactoryReport } from "./report-llamafactory.ts";

export interface LlamaFactoryPorts extends PythonPorts {
  /** Folders of the packages attune_trainer and attune_llamafactory; the environment holds LLaMA-Factory alone. */
  readonly sources: readonly string[];
}

/** Training by LLaMA-Factory in a Python environment of its own, by the package in python/llamafactory. */
export function createLlamaFactoryEngine(ports: LlamaFactoryPorts): JobEngine {
  const { python, sources } = ports;
  return {
    name: "llamafactory",
    report: createLlamaFactoryReport(ports),
    command: ({ spec, runFolder, deviceCount }: LaunchRequest): LaunchCommand => {
      if (spec.kind !== "train") {
        const message = `Engine llamafactory trains; a job of kind ${spec.kind} is for engine trainer.`;
        throw new AppError("REQUEST_INVALID", { detail: message, violations: [{ pointer: "/engine", message }] });
      }
      const module = "attune_llamafactory.train";
      const command = launchPython({ python, module, runFolder, processCount: deviceCount });
      return { ...command, env: { ...command.env, PYTHONPATH: sources.join(delimiter) } };
    },
  };
}
