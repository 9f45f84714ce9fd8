import type { RunSpec } from "@attune/contracts/compute/run-spec.ts";
import type { JobEngine, LaunchCommand, LaunchRequest } from "../job-engine.ts";
import { launchPython } from "../launch-python.ts";
import { createTrainerReport, type TrainerPorts } from "./report-trainer.ts";

const modules: Readonly<Record<RunSpec["kind"], string>> = {
  train: "attune_trainer.train",
  eval: "attune_trainer.evaluate",
  export: "attune_trainer.export",
};

/** Training by TRL and PEFT, evaluation and export, by the package in python/trainer. */
export function createTrainerEngine(ports: TrainerPorts): JobEngine {
  const { python, llamaCpp, setup } = ports;
  return {
    name: "trainer",
    report: createTrainerReport(ports),
    ...(setup !== undefined && { makeAvailable: setup.begin }),
    command: ({ spec, runFolder, deviceCount }: LaunchRequest): LaunchCommand => {
      const processCount = spec.kind === "train" ? deviceCount : 1;
      const command = launchPython({ python, module: modules[spec.kind], runFolder, processCount });
      const isTold = spec.kind === "export" && llamaCpp !== undefined;
      return isTold ? { ...command, env: { ...command.env, ATTUNE_LLAMA_CPP: llamaCpp } } : command;
    },
  };
}
