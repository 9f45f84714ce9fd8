import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";

export interface TrainerPorts extends PythonPorts {
  /** Folder of llama.cpp, whose converters make GGUF. */
  readonly llamaCpp?: string | undefined;
}

const wanted = ["attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];

const can = ["train", "eval", "export", "sft", "dpo", "kto", "cpt", "lora", "full", "cpu", "gpu"];

/** Says whether runs can be trained, evaluated and exported here, and what with; QLoRA needs bitsandbytes beside the rest. */
export function createTrainerReport(ports: TrainerPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => {
    const found = await probePython(ports, wanted);
    return {
      name: "trainer",
      description:
        "Fine-tuning by TRL, PEFT and accelerate (SFT, DPO, KTO, CPT; LoRA, QLoRA, full), evaluation and export",
      supports: found.versions["bitsandbytes"] === undefined ? can : [...can, "qlora"],
      ...found,
    };
  });
}
