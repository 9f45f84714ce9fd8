import { availableParallelism } from "node:os";
import type { LaunchCommand } from "./job-engine.ts";

export interface PythonLaunch {
  readonly python: string;
  readonly module: string;
  readonly runFolder: string;
  /** Above 1 each device gets a process of its own, by torchrun. */
  readonly processCount: number;
}

/** Runs a Python module with the folder of a run. */
export function launchPython({ python, module, runFolder, processCount }: PythonLaunch): LaunchCommand {
  if (processCount <= 1) return { program: python, args: ["-m", module, runFolder], env: {} };
  const launcher = ["-m", "torch.distributed.run", "--standalone", `--nproc-per-node=${processCount}`];
  // Processes of one machine that each took all its cores would be in each other's way.
  const threads = Math.max(1, Math.floor(availableParallelism() / processCount));
  return {
    program: python,
    args: [...launcher, "-m", module, runFolder],
    env: { OMP_NUM_THREADS: String(threads) },
  };
}
