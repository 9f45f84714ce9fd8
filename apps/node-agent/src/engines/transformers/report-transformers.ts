import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";

const wanted = ["torch", "transformers", "peft", "accelerate"];

/** Says whether the Python environment of `attune-serve` is there. */
export function createTransformersReport(ports: PythonPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => ({
    name: "transformers",
    description: "Base models and LoRA adapters in the form of Hugging Face, by transformers and PEFT, on CPU or GPU",
    supports: ["huggingface", "lora", "nf4", "int8", "cpu", "gpu"],
    ...(await probePython(ports, wanted)),
  }));
}
