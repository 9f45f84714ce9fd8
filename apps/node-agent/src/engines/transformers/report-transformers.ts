import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";

const wanted = ["torch", "transformers", "peft", "accelerate"];

const can = ["huggingface", "lora", "cpu", "gpu"];

/** Says whether the Python environment of `attune-serve` is there; quantised weights need bitsandbytes beside the rest. */
export function createTransformersReport(ports: PythonPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => {
    const found = await probePython(ports, wanted);
    return {
      name: "transformers",
      description: "Base models and LoRA adapters in the form of Hugging Face, by transformers and PEFT, on CPU or GPU",
      supports: found.versions["bitsandbytes"] === undefined ? can : [...can, "nf4", "int8"],
      ...found,
    };
  });
}
