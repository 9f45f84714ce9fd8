import type { EngineReport } from "../job-engine.ts";
import { keepForAMinute } from "../keep-for-a-minute.ts";
import { probePython, type PythonPorts } from "../probe-python.ts";

export interface TrainerPorts extends PythonPorts {
  /** Folder of llama.cpp, whose converters make GGUF. */
  readonly llamaCpp?: string | undefined;
}

const wanted = ["attune-trainer", "torch", "transformers", "trl", "peft", "accelerate", "datasets"];

/** Says whether runs can be trained, evaluated and exported here, and what with. */
export function createTrainerReport(ports: TrainerPorts): () => Promise<EngineReport> {
  return keepForAMinute(async () => ({
    name: "trainer",
    description:
      "Fine-tuning by TRL, PEFT and accelerate (SFT, DPO, KTO, CPT; LoRA, QLoRA, full), evaluation and export",
    supports: ["train", "eval", "export", "sft", "dpo", "kto", "cpt", "lora", "qlora", "full", "cpu", "gpu"],
    ...(await probePython(ports, wanted)),
  }));
}
