/** Why a run failed, as the node tells it; a worker's `error` event carries one of these as `code`. */
export interface RunCause {
  /** What happened, one sentence. */
  readonly sentence: string;
  /** What can be done about it, one sentence. */
  readonly hint: string;
  /** Whether the same run may succeed later without any change. */
  readonly retryable: boolean;
}

export const runCauses = {
  bad_spec: {
    sentence: "The run asks for something that the engine cannot do.",
    hint: "Correct the part of the specification that the message names.",
    retryable: false,
  },
  bad_dataset: {
    sentence: "The data are not of the form that the run needs.",
    hint: "Correct the records that the message names, or leave them out with bad_rows: drop.",
    retryable: false,
  },
  nothing_to_learn: {
    sentence: "No token of any example is learned from, so that training would change nothing.",
    hint: "Raise max_length, or check that the data hold answers and that the chat template marks them.",
    retryable: false,
  },
  file_not_found: {
    sentence: "A file that the run needs is not on the node.",
    hint: "Prepare the model and the data on this node again.",
    retryable: false,
  },
  model_corrupt: {
    sentence: "A file of the model is damaged or incomplete.",
    hint: "Remove the model from the node's cache and prepare it again.",
    retryable: false,
  },
  unsupported_architecture: {
    sentence: "The engine does not know the architecture of this model.",
    hint: "Use a model whose architecture the installed transformers supports.",
    retryable: false,
  },
  adapter_mismatch: {
    sentence: "The adapter was made for another base model.",
    hint: "Choose the base model that the adapter was trained on.",
    retryable: false,
  },
  chat_template_missing: {
    sentence: "The model's tokenizer has no chat template.",
    hint: "Give a chat_template, or choose an instruction-tuned model.",
    retryable: false,
  },
  checkpoint_mismatch: {
    sentence: "The checkpoint belongs to a run with another specification.",
    hint: "Resume with the specification it was made with, or begin anew with resume: never.",
    retryable: false,
  },
  out_of_memory: {
    sentence: "The GPU ran out of memory.",
    hint: "Lower batch_size or max_length, turn gradient_checkpointing on, or use QLoRA.",
    retryable: false,
  },
  host_out_of_memory: {
    sentence: "The machine ran out of memory, or the run reached its limit of memory.",
    hint: "Use a smaller model or batch, raise the limit, or free memory on the node.",
    retryable: false,
  },
  disk_full: {
    sentence: "The disk of the node is full.",
    hint: "Free space on the node, by removing jobs that have ended or entries of its cache; keep fewer checkpoints.",
    retryable: true,
  },
  gpu_unavailable: {
    sentence: "A GPU that the run was given cannot be used.",
    hint: "Look at the node's GPUs and driver, then start the run again.",
    retryable: true,
  },
  distributed_timeout: {
    sentence: "The processes of the run lost each other.",
    hint: "Look whether one of the GPUs or machines stopped, then resume from the last checkpoint.",
    retryable: true,
  },
  nonfinite_loss: {
    sentence: "The loss was no longer a finite number.",
    hint: "Lower the learning rate, clip gradients harder, or use bf16 or fp32 instead of fp16.",
    retryable: false,
  },
  environment: {
    sentence: "The engine's Python environment is missing something or does not fit the machine.",
    hint: "Run npm run setup:python on the node, and look at the engine's reason in its health.",
    retryable: false,
  },
  engine_crashed: {
    sentence: "The process of the engine ended by a signal or without a word.",
    hint: "Read the last lines of its log; resume from the last checkpoint.",
    retryable: true,
  },
  engine_failed: {
    sentence: "The engine ended with an error.",
    hint: "Read the last lines of its log.",
    retryable: false,
  },
  stalled: {
    sentence: "The run made no step within the time it was given.",
    hint: "Read the last lines of its log; resume from the last checkpoint.",
    retryable: true,
  },
  vanished: {
    sentence: "The process of the run is gone, and nothing says how it ended.",
    hint: "Look whether the machine was restarted; resume from the last checkpoint.",
    retryable: true,
  },
  too_many_events: {
    sentence: "The run wrote more events than the node can keep.",
    hint: "Log less often (logging_steps), or raise NODE_AGENT_EVENTS_MAX_MIB; resume from the last checkpoint.",
    retryable: false,
  },
  refused_by_cluster: {
    sentence: "The cluster does not take the run.",
    hint: "Ask for what the cluster has, or have the node's settings for it corrected.",
    retryable: false,
  },
  ended_by_cluster: {
    sentence: "The cluster ended the run before it was done.",
    hint: "Resume from the last checkpoint, with more time or where no other job may displace it.",
    retryable: true,
  },
  node_lost: {
    sentence: "The machine on which the run ran was lost.",
    hint: "Resume from the last checkpoint on another machine.",
    retryable: true,
  },
} as const satisfies Readonly<Record<string, RunCause>>;

export type RunCauseName = keyof typeof runCauses;
export const isRunCause = (name: string): name is RunCauseName => Object.hasOwn(runCauses, name);
