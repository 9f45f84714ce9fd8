import type { EngineReport } from "../job-engine.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";
import { reportWithSetup } from "../python-setup/report-with-setup.ts";
import { toTorchDevices } from "../to-torch-devices.ts";

const wanted = ["torch", "transformers", "peft", "accelerate"];

const can = ["huggingface", "lora"];

/** Says whether the Python environment of `attune-serve` is there; quantised weights need bitsandbytes beside the rest. */
export function createTransformersReport(ports: PythonPorts): () => Promise<EngineReport> {
  return reportWithSetup(async () => {
    const found = await probePython(ports, wanted);
    const { supports, where } = toTorchDevices(found.versions, ports.findCuda?.());
    const quantised = found.versions["bitsandbytes"] === undefined ? [] : ["nf4", "int8"];
    return {
      name: "transformers",
      description: `Base models and LoRA adapters in the form of Hugging Face, by transformers and PEFT, ${where}`,
      supports: [...can, ...quantised, ...supports],
      ...found,
    };
  }, ports.setup);
}
