import { execFile, type ExecFileException } from "node:child_process";
import type { Environment } from "@attune/service-kit/load-config.ts";
import * as z from "zod";
import { workerEnvironment } from "../../process/worker-environment.ts";
import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";

export interface TrainerPorts {
  /** The interpreter of the environment that `npm run setup:python` makes. */
  readonly python: string;
  /** Folder of llama.cpp, whose converters make GGUF. */
  readonly llamaCpp?: string | undefined;
  readonly environment: Environment;
}

const wanted = ["attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];
const timeoutMs = 20_000;
const remedy = "Run npm run setup:python.";

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

/** Says whether runs can be trained, evaluated and exported here, and what with. */
export function createTrainerReport(ports: TrainerPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => {
    const found = await probe(ports);
    const versions = typeof found === "string" ? {} : found;
    const missing = typeof found === "string" ? [] : wanted.filter((name) => found[name] === undefined);
    const lacking = missing.length === 0 ? "" : `It lacks ${missing.join(", ")}.`;
    const why = typeof found === "string" ? found : lacking;
    return {
      name: "trainer",
      description:
        "Fine-tuning by TRL, PEFT and accelerate (SFT, DPO, KTO, CPT; LoRA, QLoRA, full), evaluation and export",
      supports: ["train", "eval", "export", "sft", "dpo", "kto", "cpt", "lora", "qlora", "full", "cpu", "gpu"],
      available: why === "",
      unavailableReason: why === "" ? "" : `The Python environment cannot be used: ${why} ${remedy}`,
      versions,
    };
  });
}

/** Versions of what is installed, or why they cannot be known. */
function probe({ python, environment }: TrainerPorts): Promise<Readonly<Record<string, string>> | string> {
  const env = workerEnvironment({ environment, visibleGpus: [], own: {} });
  return new Promise((resolve) => {
    execFile(python, ["-c", script], { env, timeout: timeoutMs, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
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
