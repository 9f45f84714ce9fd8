import { availableParallelism } from "node:os";
import type { RunSpec } from "@attune/contracts/compute/run-spec.ts";
import type { JobEngine, LaunchCommand, LaunchRequest } from "../job-engine.ts";
import { createTrainerReport, type TrainerPorts } from "./report-trainer.ts";

const modules: Readonly<Record<RunSpec["kind"], string>> = {
  train: "attune_trainer.train",
  eval: "attune_trainer.evaluate",
  export: "attune_trainer.export",
};

/** Training by TRL and PEFT, evaluation and export, by the package in python/trainer. */
export function createTrainerEngine(ports: TrainerPorts): JobEngine {
  const { python, llamaCpp } = ports;
  return {
    name: "trainer",
    report: createTrainerReport(ports),
    command: ({ spec, runFolder, deviceCount }: LaunchRequest): LaunchCommand => {
      const module = modules[spec.kind];
      const isSpread = spec.kind === "train" && deviceCount > 1;
      const launcher = isSpread
        ? ["-m", "torch.distributed.run", "--standalone", `--nproc-per-node=${deviceCount}`, "-m", module]
        : ["-m", module];
      const threads = Math.max(1, Math.floor(availableParallelism() / deviceCount));
      return {
        program: python,
        args: [...launcher, runFolder],
        env: {
          // Processes of one machine that each took all its cores would be in each other's way.
          ...(isSpread && { OMP_NUM_THREADS: String(threads) }),
          ...(spec.kind === "export" && llamaCpp !== undefined && { ATTUNE_LLAMA_CPP: llamaCpp }),
        },
      };
    },
  };
}
