import {
  type CptExample,
  type Example,
  type ExampleKind,
  type KtoExample,
  type Message,
  messagesOf,
} from "./example.ts";
import type { RefusalCode } from "./layouts/layout.ts";

/** How a conversation becomes plain text. */
export const textStyles = ["plain", "chatml"] as const;
export type TextStyle = (typeof textStyles)[number];

export type Converted = { readonly examples: readonly Example[] } | { readonly refusal: RefusalCode };

/**
 * Makes examples of another kind: DPO becomes two KTO examples or the chosen answer alone; conversations become plain text in
 * the style that is asked for. KTO to DPO needs more than one example: see `pairPreferences`.
 */
export function convertKind(example: Example, kind: ExampleKind, textStyle: TextStyle = "plain"): Converted {
  if (example.kind === kind) return { examples: [example] };
  if (example.kind === "dpo" && kind === "kto") return { examples: [judged(example, true), judged(example, false)] };
  if (example.kind === "sft" && kind === "cpt") return toText(example.messages, textStyle);
  const good = kind === "sft" ? goodAnswer(example) : undefined;
  return good ? { examples: [good] } : { refusal: "WRONG_KIND" };
}

/** The conversation with the answer that was preferred, or judged as good. */
function goodAnswer(example: Example): Example | undefined {
  if (example.kind !== "dpo" && example.kind !== "kto") return undefined;
  if (example.kind === "kto" && !example.label) return undefined;
  const { prompt, tools } = example;
  const answer = example.kind === "dpo" ? example.chosen : example.completion;
  return { kind: "sft", messages: [...prompt, ...answer], ...(tools === undefined ? {} : { tools }) };
}

function judged(example: Extract<Example, { kind: "dpo" }>, label: boolean): KtoExample {
  const { prompt, chosen, rejected, tools } = example;
  const completion = label ? chosen : rejected;
  return { kind: "kto", prompt, completion, label, ...(tools === undefined ? {} : { tools }) };
}

function toText(messages: readonly Message[], style: TextStyle): Converted {
  if (messages.some(({ toolCalls, role }) => toolCalls !== undefined || role === "tool"))
    return { refusal: "HAS_TOOLS" };
  const text =
    style === "plain"
      ? messages.map(({ content }) => content).join("\n\n")
      : messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join("");
  const converted: CptExample = { kind: "cpt", text };
  return { examples: [converted] };
}

/** The number of characters that an example holds in memory, roughly. */
export const sizeOf = (example: Example): number =>
  example.kind === "cpt"
    ? example.text.length
    : messagesOf(example).reduce((sum, { content }) => sum + content.length, 100);
