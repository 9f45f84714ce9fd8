import type { TruthRow } from "./truth-case.ts";

export interface TrainerCase extends TruthRow {
  /** Which of the models that the test makes. */
  readonly model?: "good" | "cut" | "strange" | "not-a-number" | "mute" | "absent" | "wider";
  /** Records of the data; instruction and output. */
  readonly rows?: readonly object[];
  /** Goes on with the adapter of the run that went well. */
  readonly withAdapter?: boolean;
  readonly spec?: object;
  readonly training?: object;
  readonly request?: object;
  /** MiB of address space that it may have. */
  readonly addressSpaceMib?: number;
  /** What happens once it trains. */
  readonly act?: "stop" | "kill";
  /** Part of the failure's message, or of the reason. */
  readonly says?: string;
}

const masked = Array.from({ length: 4 }, () => ({ instruction: "very ".repeat(200), output: "Yes." }));

/** Faults that the real trainer meets; tested where its Python environment is. */
export const trainerCases: readonly TrainerCase[] = [
  { fault: "none", injected: "a tiny model is fine-tuned with LoRA", state: "succeeded", cause: null },
  {
    fault: "model folder missing",
    injected: "a path where nothing is",
    model: "absent",
    state: "failed",
    cause: "file_not_found",
  },
  {
    fault: "corrupt safetensors",
    injected: "model.safetensors without its last 1000 bytes",
    model: "cut",
    state: "failed",
    cause: "model_corrupt",
  },
  {
    fault: "unknown architecture",
    injected: "a model_type that transformers does not know",
    model: "strange",
    state: "failed",
    cause: "unsupported_architecture",
  },
  {
    fault: "no chat template",
    injected: "a base model's tokenizer",
    model: "mute",
    state: "failed",
    cause: "chat_template_missing",
  },
  {
    fault: "adapter of another base",
    injected: "an adapter of a narrower model",
    model: "wider",
    withAdapter: true,
    state: "failed",
    cause: "adapter_mismatch",
  },
  {
    fault: "bad rows",
    injected: "a record without an answer",
    rows: [{ instruction: "What is 1?" }],
    state: "failed",
    cause: "bad_dataset",
  },
  {
    fault: "all labels masked",
    injected: "questions longer than max_length",
    rows: masked,
    training: { max_length: 64 },
    state: "failed",
    cause: "nothing_to_learn",
  },
  {
    fault: "loss that is no number",
    injected: "weights that are no numbers",
    model: "not-a-number",
    spec: { tuning: "full" },
    training: { max_steps: 20 },
    state: "failed",
    cause: "nonfinite_loss",
  },
  {
    fault: "what the trainer cannot do",
    injected: "an optimizer of that name is not known",
    training: { optimizer: "magic" },
    state: "failed",
    cause: "bad_spec",
    says: "optimizer",
  },
  {
    fault: "out of memory by the run's limit",
    injected: "memory_limit_mb 150, which importing PyTorch alone exceeds",
    request: { memory_limit_mb: 150 },
    state: "failed",
    cause: "host_out_of_memory",
    says: "its memory_limit_mb is 150",
  },
  {
    fault: "out of memory by rlimit",
    injected: "an address space of 700 MiB that was set by others",
    addressSpaceMib: 700,
    state: "failed",
    cause: "host_out_of_memory",
  },
  {
    fault: "kill -9 of the trainer",
    injected: "SIGKILL while it trains",
    // However late it comes, it comes before a checkpoint.
    training: { max_steps: 10_000, save_steps: 10_000 },
    act: "kill",
    state: "failed",
    cause: "engine_crashed",
    says: "SIGKILL",
  },
  {
    fault: "stop of two ranks",
    injected: "stop of a run on two simulated GPUs; the ranks agree on the step, save once and end",
    request: { gpus: 2 },
    training: { max_steps: 10_000 },
    act: "stop",
    state: "stopped",
    cause: null,
  },
  {
    fault: "stop",
    injected: "stop while it trains; it saves a checkpoint and ends",
    training: { max_steps: 10_000 },
    act: "stop",
    state: "stopped",
    cause: null,
  },
];
