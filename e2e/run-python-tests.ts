import { spawn } from "node:child_process";
import { once } from "node:events";

/** What unittest says at the end where there was a test to run. */
export const ranTests = /^Ran [1-9]\d* tests?/m;

export interface PythonTests {
  readonly python: string;
  /** The folder that holds `tests`, a package of unittest. */
  readonly project: string;
  /** For PYTHONPATH. */
  readonly sources: string;
  /** Modules of `tests`; one process for all, as each would import PyTorch anew. */
  readonly modules: readonly string[];
}

/** Runs tests that are written in Python, on the CPU with one thread. @returns what they said at the end. @throws Error when one fails */
export async function runPythonTests({ python, project, sources, modules }: PythonTests): Promise<string> {
  // oxlint-disable-next-line node/no-process-env -- what whoever runs the tests has set up
  const env = { ...process.env, OMP_NUM_THREADS: "1", PYTHONPATH: sources, CUDA_VISIBLE_DEVICES: "" };
  const child = spawn(python, ["-m", "unittest", ...modules.map((name) => `tests.${name}`)], { cwd: project, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => (said += part));
  }
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) throw new Error(said.slice(-8000));
  return said.slice(-8000);
}
