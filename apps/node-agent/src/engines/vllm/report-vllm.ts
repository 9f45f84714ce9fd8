import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Environment } from "@attune/service-kit/load-config.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { NodeCuda } from "../node-cuda.ts";
import { askVersion } from "../ask-version.ts";
import type { ModelToLoad } from "../inference-engine.ts";
import type { EngineReport } from "../job-engine.ts";
import { askPython } from "../probe-python.ts";
import { whyWithoutGpu } from "../to-torch-devices.ts";

export interface VllmPorts {
  /** Absolute path of `vllm` in an environment of its own; undefined where there is none. */
  readonly program: string | undefined;
  /** Of the agent. */
  readonly environment: Environment;
  /** Of this node, as it is now; undefined where there is no GPU that can be used. */
  readonly findCuda?: (() => NodeCuda | undefined) | undefined;
}

export const vllmName = "vllm";

const description = "Base models and LoRA adapters in the form of Hugging Face, by vLLM, for many chats at once";

/** Whether vLLM is there, and what it can be used for on this node: a vLLM computes on GPUs or on the CPU, as it was built. */
export async function reportVllm({ program, environment, findCuda }: VllmPorts): Promise<EngineReport> {
  const found =
    program === undefined
      ? "Set NODE_AGENT_VLLM_PROGRAM to the program `vllm` of an environment made with `pip install vllm`."
      : await findVersions(program, environment);
  if (typeof found === "string") return toReport({}, { why: found, where: "" });
  if (isBuiltForCpu(found)) return toReport(found, { why: "", where: "cpu" });
  const lacking = whyWithoutGpu(found["cuda"] ?? "0", findCuda?.());
  const why =
    lacking === undefined ? "" : `This vLLM computes on GPUs alone: ${lacking}. A vLLM for the CPU is another build.`;
  return toReport(found, { why, where: "gpu" });
}

/** @throws AppError MODEL_UNSUPPORTED when GPUs are given to a vLLM for the CPU, or none to one for GPUs */
export function checkDevices({ gpus }: ModelToLoad, { versions }: EngineReport): void {
  // Nothing is known of it; what it lacks is said when a load chooses it.
  if (versions["vllm"] === undefined) return;
  const isForCpu = isBuiltForCpu(versions);
  if (isForCpu === (gpus.length === 0)) return;
  const detail = isForCpu ? "This vLLM is built for the CPU; ask for no GPUs." : "This vLLM needs a GPU; ask for one.";
  throw new AppError("MODEL_UNSUPPORTED", { detail });
}

type Versions = EngineReport["versions"];

const isBuiltForCpu = ({ vllm = "" }: Versions): boolean => /\+.*cpu/.test(vllm);

function toReport(versions: Versions, { why, where }: { readonly why: string; readonly where: string }): EngineReport {
  const isForCpu = where === "cpu";
  const canQuantise = !isForCpu && versions["bitsandbytes"] !== undefined;
  return {
    name: vllmName,
    description: where === "" ? description : `${description}, on ${isForCpu ? "CPU" : "GPUs"}`,
    supports: ["huggingface", "lora", ...(canQuantise ? ["nf4"] : []), ...(where === "" ? [] : [where])],
    available: why === "",
    unavailableReason: why,
    versions,
  };
}

/**
 * What is installed beside the program, or why that cannot be known. The interpreter is asked first: `vllm --version` computes for
 * ten seconds and more.
 */
async function findVersions(program: string, environment: Environment): Promise<Versions | string> {
  const path = await realpath(program).catch(() => undefined);
  const found =
    path === undefined
      ? {}
      : await askPython({ python: join(dirname(path), "python"), environment }, [
          "vllm",
          "torch",
          "transformers",
          "bitsandbytes",
        ]);
  if (typeof found !== "string" && found["vllm"] !== undefined) return found;
  const asked = await askVersion(program, ["--version"]);
  return typeof asked === "string" ? asked : { vllm: asked.version };
}
