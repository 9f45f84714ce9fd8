import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";
import { toTorchDevices } from "../to-torch-devices.ts";

const wanted = ["llamafactory", "torch", "transformers", "trl", "peft", "accelerate", "datasets", "omegaconf"];

const can = ["train", "sft", "dpo", "kto", "cpt", "lora", "full"];

/** Says whether LLaMA-Factory can train here, and what with; QLoRA needs bitsandbytes beside the rest. */
export function createLlamaFactoryReport(ports: PythonPorts): () => Promise<EngineReport> {
  const setUp = "npm run setup:python-llamafactory";
  return keepForAMinute(async () => {
    const found = await probePython({ ...ports, setUp }, wanted);
    const { supports, where } = toTorchDevices(found.versions, ports.findCuda?.());
    const quantised = found.versions["bitsandbytes"] === undefined ? [] : ["qlora"];
    return {
      name: "llamafactory",
      description: `Fine-tuning by LLaMA-Factory (SFT, DPO, KTO, CPT; LoRA, QLoRA, full), ${where}`,
      supports: [...can, ...quantised, ...supports],
      ...found,
    };
  });
}
