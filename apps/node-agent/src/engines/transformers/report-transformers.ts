import { execFile, type ExecFileException } from "node:child_process";
import type { Environment } from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import { workerEnvironment } from "../../process/worker-environment.ts";
import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";

export interface PythonPorts {
  /** The interpreter of the environment that `npm run setup:python` makes. */
  readonly python: string;
  readonly environment: Environment;
}

const wanted = ["torch", "transformers", "peft", "accelerate"];
const timeoutMs = 20_000;

// Looks packages up without importing them, which would take seconds.
const script = `
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {"python": sys.version.split()[0]}
for name in ${JSON.stringify([...wanted, "bitsandbytes"])}:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
`;

/** Says whether the Python environment of `attune-serve` is there. */
export function createTransformersReport(ports: PythonPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => {
    const found = await probe(ports);
    const missing = typeof found === "string" ? [] : wanted.filter((name) => found[name] === undefined);
    const why = typeof found === "string" ? found : missing.length > 0 ? `It lacks ${missing.join(", ")}.` : "";
    return {
      name: "transformers",
      description: "Base models and LoRA adapters in the form of Hugging Face, by transformers and PEFT, on CPU or GPU",
      supports: ["huggingface", "lora", "nf4", "int8", "cpu", "gpu"],
      available: why === "",
      unavailableReason: why === "" ? "" : `The Python environment cannot be used: ${why} Run npm run setup:python.`,
      versions: typeof found === "string" ? {} : found,
    };
  });
}

/** Versions of what is installed, or why they cannot be known. */
function probe({ python, environment }: PythonPorts): Promise<Readonly<Record<string, string>> | string> {
  const env = workerEnvironment({ environment, visibleGpus: [], own: {} });
  return new Promise((resolve) => {
    execFile(python, ["-c", script], { env, timeout: timeoutMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error !== null) resolve(whyFailed(error, python, stderr));
      else resolve(parse(stdout) ?? `${python} did not say what is installed.`);
    });
  });
}

function whyFailed({ code }: ExecFileException, python: string, stderr: string): string {
  if (code === "ENOENT") return `${python} is not there.`;
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return `${python} failed${last === "" ? "." : `: ${last.slice(0, 300)}.`}`;
}

function parse(text: string): Readonly<Record<string, string>> | undefined {
  try {
    return z.record(z.string(), z.string()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
