import { execFile, type ExecFileException } from "node:child_process";
import type { Environment } from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import type { NodeCuda } from "./node-cuda.ts";
import { workerEnvironment } from "../process/worker-environment.ts";
import type { EngineReport } from "./job-engine.ts";
import type { PythonSetup } from "./python-setup/python-setup.ts";

export interface PythonPorts {
  readonly python: string;
  readonly environment: Environment;
  /** The command that makes the interpreter's environment; default `npm run setup:python`. */
  readonly setUp?: string;
  /** Makes that environment when it is first needed; undefined where a person does. */
  readonly setup?: PythonSetup | undefined;
  /** Of this node, as it is now; undefined where there is no GPU that can be used. */
  readonly findCuda?: (() => NodeCuda | undefined) | undefined;
}

export type PythonFindings = Pick<EngineReport, "available" | "unavailableReason" | "versions">;

const timeoutMs = 20_000;

/**
 * Whether the Python environment has the packages, why not and what to do, and in which versions it has them; `cuda` is the
 * version that its PyTorch is built for.
 */
export async function probePython(ports: PythonPorts, wanted: readonly string[]): Promise<PythonFindings> {
  const { setUp = "npm run setup:python" } = ports;
  const found = await askPython(ports, [...wanted, "bitsandbytes"]);
  const versions = typeof found === "string" ? {} : found;
  const missing = typeof found === "string" ? [] : wanted.filter((name) => found[name] === undefined);
  const lacking = missing.length === 0 ? "" : `It lacks ${missing.join(", ")}.`;
  const why = typeof found === "string" ? found : lacking;
  return {
    available: why === "",
    unavailableReason: why === "" ? "" : `The Python environment cannot be used: ${why} Run ${setUp}.`,
    versions,
  };
}

// Looks packages up without importing them, which would take seconds; torch/version.py is a file of a few constants.
const scriptFor = (names: readonly string[]): string => `
import json, runpy, sys
from importlib.util import find_spec
from importlib.metadata import PackageNotFoundError, version
found = {"python": sys.version.split()[0]}
for name in ${JSON.stringify(names)}:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
try:
    found["cuda"] = runpy.run_path(find_spec("torch").origin.replace("__init__.py", "version.py"))["cuda"]
except Exception:
    pass
if found.get("cuda") is None:
    found.pop("cuda", None)
print(json.dumps(found))
`;

/** Versions of what is installed of these names, or why they cannot be known; `cuda` as of `probePython`. */
export function askPython(
  { python, environment }: PythonPorts,
  names: readonly string[],
): Promise<Readonly<Record<string, string>> | string> {
  const env = workerEnvironment({ environment, visibleGpus: [], own: {} });
  const options = { env, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(python, ["-c", scriptFor(names)], options, (error, stdout, stderr) => {
      resolve(error === null ? parse(stdout, python) : whyFailed(error, python, stderr));
    });
  });
}

function whyFailed({ code, killed }: ExecFileException, python: string, stderr: string): string {
  if (code === "ENOENT") return `${python} is not there.`;
  if (killed === true) return `${python} did not answer within ${timeoutMs / 1000} seconds.`;
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return `${python} failed${last === "" ? "." : `: ${last.slice(0, 300)}.`}`;
}

function parse(text: string, python: string): Readonly<Record<string, string>> | string {
  const fault = `${python} did not say what is installed.`;
  try {
    return z.record(z.string(), z.string()).safeParse(JSON.parse(text)).data ?? fault;
  } catch {
    return fault;
  }
}
