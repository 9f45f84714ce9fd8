import * as z from "zod";

export const trainMethods = ["sft", "dpo", "kto", "cpt"] as const;
export const tunings = ["lora", "qlora", "full"] as const;
export const dataFormats = ["auto", "alpaca", "sharegpt", "openai", "dpo", "kto", "cpt"] as const;
export const dtypes = ["auto", "bf16", "fp16", "fp32"] as const;
export const lrSchedulers = [
  "linear",
  "cosine",
  "cosine_with_restarts",
  "polynomial",
  "constant",
  "constant_with_warmup",
  "inverse_sqrt",
  "warmup_stable_decay",
] as const;

const path = z.string().min(1).max(4096).meta({ description: "Absolute path on the node" });
const positive = z.int().positive();
const fraction = z.number().min(0).max(1);

const modelSchema = z
  .strictObject({
    path: path,
    dtype: z.enum(dtypes).default("auto"),
    trust_remote_code: z.boolean().default(false),
    chat_template: z.string().max(200_000).optional().meta({ description: "Jinja, instead of the tokenizer's own" }),
  })
  .meta({ id: "RunModel" });

const dataSchema = z
  .strictObject({
    files: z.array(path).min(1).max(1000),
    format: z.enum(dataFormats).default("auto"),
    eval_files: z.array(path).max(1000).default([]),
    eval_fraction: z.number().min(0).max(0.5).default(0).meta({
      description: "Share of the examples held back for evaluation, by hash of seed and content; not beside eval_files",
    }),
    max_records: positive.optional(),
    bad_rows: z
      .enum(["fail", "drop"])
      .default("fail")
      .meta({ description: "Whether a record of the wrong form ends the run, or is left out and counted" }),
  })
  .meta({ id: "RunData" });

const loraSchema = z
  .strictObject({
    r: z.int().min(1).max(1024).default(16),
    alpha: z.number().positive().default(32),
    dropout: fraction.default(0),
    target_modules: z.union([z.string(), z.array(z.string()).min(1)]).default("all-linear"),
    modules_to_save: z.array(z.string()).default([]),
    bias: z.enum(["none", "all", "lora_only"]).default("none"),
    use_rslora: z.boolean().default(false),
    use_dora: z.boolean().default(false),
  })
  .meta({ id: "RunLora" });

const trainingSchema = z
  .strictObject({
    epochs: z.number().positive().max(1000).default(1),
    max_steps: positive.optional().meta({ description: "Wins over epochs" }),
    batch_size: positive.max(4096).default(1).meta({ description: "Examples of one device in one forward pass" }),
    gradient_accumulation: positive.max(4096).default(1),
    learning_rate: z.number().positive().max(10).optional().meta({
      description: "Unset: 2e-4 for LoRA, 2e-5 in full; DPO and KTO a tenth of these",
    }),
    scheduler: z.enum(lrSchedulers).default("linear"),
    warmup: z.number().min(0).default(0).meta({ description: "Below 1 a share of all steps, else steps" }),
    weight_decay: z.number().min(0).max(1).default(0),
    max_grad_norm: z.number().positive().default(1),
    optimizer: z.string().default("adamw_torch_fused"),
    max_length: positive.max(1_048_576).default(1024).meta({ description: "Tokens of one example" }),
    packing: z.boolean().default(false),
    assistant_only_loss: z.boolean().default(false),
    completion_only_loss: z.boolean().optional(),
    gradient_checkpointing: z.boolean().optional().meta({ description: "Unset: on where there is a GPU" }),
    precision: z.enum(["auto", "bf16", "fp16", "fp32"]).default("auto"),
    seed: z.int().nonnegative().max(4_294_967_295).default(42),
    deterministic: z.boolean().default(false),
    logging_steps: positive.default(1),
    eval_steps: positive
      .optional()
      .meta({ description: "Unset: after every epoch, where there is something to evaluate" }),
    save_steps: positive.optional().meta({ description: "Unset: after every epoch" }),
    keep_checkpoints: positive.max(1000).default(2),
    early_stopping_patience: positive.optional(),
    early_stopping_threshold: z.number().min(0).default(0),
    neftune_noise_alpha: z.number().positive().optional(),
  })
  .meta({ id: "RunTraining" });

const preferenceSchema = z
  .strictObject({
    beta: z.number().positive().default(0.1),
    loss_type: z.string().default("sigmoid"),
    label_smoothing: fraction.default(0),
    desirable_weight: z.number().positive().default(1).meta({ description: "KTO" }),
    undesirable_weight: z.number().positive().default(1).meta({ description: "KTO" }),
  })
  .meta({ id: "RunPreference" });

/** What `attune-train` is given, as `spec.json` in the folder of a run. */
export const trainSpec = z
  .strictObject({
    kind: z.literal("train"),
    model: modelSchema,
    adapter_path: path.optional().meta({ description: "An adapter to go on with" }),
    method: z.enum(trainMethods),
    tuning: z.enum(tunings),
    data: dataSchema,
    lora: loraSchema.prefault({}),
    training: trainingSchema.prefault({}),
    preference: preferenceSchema.prefault({}),
    resume: z
      .union([z.enum(["auto", "never"]), path])
      .default("auto")
      .meta({ description: "The newest complete checkpoint of this run, none, or the one in this folder" }),
  })
  .meta({ id: "TrainSpec" });

/** The most that can be asked for, by which no limit is meant: the model's context ends the answer. */
export const noTokenLimit = 1_048_576;

export const generationSchema = z
  .strictObject({
    max_new_tokens: positive.max(noTokenLimit).default(256),
    temperature: z.number().min(0).max(10).default(0).meta({ description: "0: the likeliest token each time" }),
    top_p: z.number().gt(0).max(1).default(1),
    top_k: z.int().nonnegative().default(0),
    repetition_penalty: z.number().positive().default(1),
    stop: z.array(z.string().min(1)).max(16).default([]),
    seed: z.int().nonnegative().max(4_294_967_295).optional(),
  })
  .meta({ id: "Generation" });
export type Generation = z.infer<typeof generationSchema>;

/** What `attune-eval` is given: answers to every record of the data, and their scores by @attune/metrics. */
export const evalSpec = z
  .strictObject({
    kind: z.literal("eval"),
    model: modelSchema,
    adapter_path: path.optional(),
    data: dataSchema,
    generation: generationSchema.prefault({}),
    batch_size: positive.max(4096).default(4),
    metrics: z.array(z.string()).default(["bleu", "rouge1", "rouge2", "rougeL", "cosine", "exact_match", "similarity"]),
  })
  .meta({ id: "EvalSpec" });

export const exportTargets = ["merged", "gguf", "gguf_lora", "ollama", "vllm"] as const;

/** What `attune-export` is given. */
export const exportSpec = z
  .strictObject({
    kind: z.literal("export"),
    model: modelSchema,
    adapter_path: path.optional(),
    targets: z.array(z.enum(exportTargets)).min(1),
    gguf_type: z.enum(["f32", "f16", "bf16", "q8_0", "auto"]).default("f16"),
    max_shard_size: z
      .string()
      .regex(/^\d+(MB|GB)$/)
      .default("5GB"),
  })
  .meta({ id: "ExportSpec" });

export const runSpec = z.discriminatedUnion("kind", [trainSpec, evalSpec, exportSpec]);
export type TrainSpec = z.infer<typeof trainSpec>;
export type EvalSpec = z.infer<typeof evalSpec>;
export type ExportSpec = z.infer<typeof exportSpec>;
export type RunSpec = z.infer<typeof runSpec>;
