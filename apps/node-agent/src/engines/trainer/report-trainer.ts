import type { EngineReport } from "../job-engine.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";
import { reportWithSetup } from "../python-setup/report-with-setup.ts";
import { toTorchDevices } from "../to-torch-devices.ts";

export interface TrainerPorts extends PythonPorts {
  /** Folder of llama.cpp, whose converters make GGUF. */
  readonly llamaCpp?: string | undefined;
}

const wanted = ["attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];

const can = ["train", "eval", "export", "sft", "dpo", "kto", "cpt", "lora", "full"];

/** Says whether runs can be trained, evaluated and exported here, and what with; QLoRA needs bitsandbytes beside the rest. */
export function createTrainerReport(ports: TrainerPorts): () => Promise<EngineReport> {
  return reportWithSetup(async () => {
    const found = await probePython(ports, wanted);
    const { supports, where } = toTorchDevices(found.versions, ports.findCuda?.());
    const quantised = found.versions["bitsandbytes"] === undefined ? [] : ["qlora"];
    return {
      name: "trainer",
      description: `Fine-tuning by TRL, PEFT and accelerate (SFT, DPO, KTO, CPT; LoRA, QLoRA, full), evaluation and export, ${where}`,
      supports: [...can, ...quantised, ...supports],
      ...found,
    };
  }, ports.setup);
}
