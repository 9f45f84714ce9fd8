import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { alpaca, dpoAlpaca, ktoAlpaca } from "./alpaca.ts";
import { cpt } from "./cpt.ts";
import type { Layout } from "./layout.ts";
import { openaiMessages, trlPromptCompletion } from "./openai-messages.ts";
import { dpoSharegpt, ktoSharegpt, sharegpt } from "./sharegpt.ts";
import { dpoTrl, ktoTrl } from "./trl-preference.ts";

/** Every layout, one line each. At most one of them matches a row. */
export const layouts: Readonly<Record<DatasetLayout, Layout>> = {
  alpaca,
  sharegpt,
  openai_messages: openaiMessages,
  trl_prompt_completion: trlPromptCompletion,
  dpo_alpaca: dpoAlpaca,
  dpo_sharegpt: dpoSharegpt,
  dpo_trl: dpoTrl,
  kto_alpaca: ktoAlpaca,
  kto_sharegpt: ktoSharegpt,
  kto_trl: ktoTrl,
  cpt,
};
