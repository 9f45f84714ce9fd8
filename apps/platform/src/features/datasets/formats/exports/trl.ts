import { convertKind } from "../convert-kind.ts";
import type { Example, Message, SftExample } from "../example.ts";
import { sideOf } from "../layouts/check-turns.ts";
import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { DatasetExport, ExampleSource, ExportSplit } from "./export-file.ts";
import { writeJsonl } from "./write-jsonl.ts";

/**
 * What is trained of a conversation. `all`: messages as they are; TRL trains every token, or with `assistant_only_loss` the
 * answers. `each_answer`: one example for every answer, what comes before being its prompt. `last_answer`: the last one only.
 */
export const trlLosses = ["all", "each_answer", "last_answer"] as const;
export type TrlLoss = (typeof trlLosses)[number];

interface TrlOptions {
  readonly kind: Example["kind"];
  readonly loss: TrlLoss;
  readonly splits: readonly ExportSplit[];
}

/**
 * One JSONL file for each split, of one shape throughout: TRL judges a file by its first row. Conversations that train only
 * some answers become prompt and completion, which TRL masks with any chat template.
 */
export function exportTrl({ kind, loss, splits }: TrlOptions): DatasetExport {
  const layout = trlLayoutOf(kind, loss);
  const parts = splits.map(({ name, examples }) => {
    const source = layout === "trl_prompt_completion" ? answersOf(examples, loss) : examples;
    return { path: `${name}.jsonl`, writer: writeJsonl(source, { layout }) };
  });
  return {
    files: parts.map(({ path, writer }) => ({ path, chunks: writer.chunks })),
    counts: () => Object.fromEntries(parts.map(({ path, writer }) => [path, writer.counts()])),
  };
}

/** The layout in which TRL reads data of this kind. */
export function trlLayoutOf(kind: Example["kind"], loss: TrlLoss): DatasetLayout {
  if (kind === "sft") return loss === "all" ? "openai_messages" : "trl_prompt_completion";
  return ({ dpo: "dpo_trl", kto: "kto_trl", cpt: "cpt" } as const)[kind];
}

function answersOf(examples: ExampleSource, loss: TrlLoss): ExampleSource {
  return async function* () {
    for await (const batch of examples()) yield batch.flatMap((example) => expand(example, loss));
  };
}

function expand(example: Example, loss: TrlLoss): readonly Example[] {
  const converted = convertKind(example, "sft");
  if ("refusal" in converted) return [example];
  return (converted.examples as readonly SftExample[]).flatMap((sft) => {
    const answers = expandAnswers(sft);
    return loss === "last_answer" ? answers.slice(-1) : answers;
  });
}

/** One example for every answer that is trained: the turns before it as context, then the answer. */
export function expandAnswers(example: SftExample): SftExample[] {
  const { messages, tools } = example;
  return messages.flatMap((message, index): SftExample[] => {
    if (message.role !== "assistant" || message.weight === 0) return [];
    const context = messages.slice(0, index).map(asContext);
    return [{ kind: "sft", messages: [...context, message], ...(tools === undefined ? {} : { tools }) }];
  });
}

const asContext = (message: Message): Message =>
  sideOf(message.role) === "assistant" && message.weight === undefined ? { ...message, weight: 0 } : message;
