/** The formats of training data that Attune recognises. */
export const datasetFormats = ["alpaca", "sharegpt", "dpo", "cpt", "openai_messages", "kto"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

/** The shapes in which the formats are written: preference data, for instance, has three. */
export const datasetLayouts = [
  "alpaca",
  "sharegpt",
  "openai_messages",
  "trl_prompt_completion",
  "dpo_alpaca",
  "dpo_sharegpt",
  "dpo_trl",
  "kto_alpaca",
  "kto_sharegpt",
  "kto_trl",
  "cpt",
] as const;
export type DatasetLayout = (typeof datasetLayouts)[number];

/** What an export is made for: a training program, and for TRL what is trained of a conversation. */
export const datasetExportLayouts = [
  "llama_factory",
  "hugging_face",
  "trl_all",
  "trl_each_answer",
  "trl_last_answer",
] as const;
export type DatasetExportLayout = (typeof datasetExportLayouts)[number];

export const findingSeverities = ["error", "warning", "notice"] as const;
export type FindingSeverity = (typeof findingSeverities)[number];
