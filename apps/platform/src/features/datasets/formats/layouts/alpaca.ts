import type { Message } from "../example.ts";
import {
  alpacaPromptKeys,
  readAlpacaPrompt,
  refuseAlpacaPrompt,
  refuseAnswer,
  renderAlpacaPrompt,
} from "./alpaca-turns.ts";
import type { Layout } from "./layout.ts";
import { readLabel, readText, readTools } from "./read-fields.ts";

const has = (row: object, key: string): boolean => Object.hasOwn(row, key);
const answerOf = (content: string): Message[] => [{ role: "assistant", content }];

/** `{"instruction", "input", "output", "system", "history"}`. */
export const alpaca: Layout = {
  name: "alpaca",
  format: "alpaca",
  kind: "sft",
  keys: [...alpacaPromptKeys, "output", "tools"],
  matches: (row) => has(row, "instruction") && !has(row, "kto_tag") && !has(row, "chosen") && !has(row, "rejected"),
  read(row, report) {
    const prompt = readAlpacaPrompt(row, report);
    const output = readText(row, { key: "output", blank: "EMPTY_OUTPUT" }, report);
    const tools = readTools(row, report);
    if (!prompt || output === undefined) return undefined;
    return { kind: "sft", messages: [...prompt, ...answerOf(output)], ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "sft") return { refusal: "WRONG_KIND" };
    const [prompt, answer] = [example.messages.slice(0, -1), example.messages.slice(-1)];
    const refusal = answer[0]?.role === "assistant" ? undefined : "NO_FINAL_ANSWER";
    const reason = refusal ?? refuseAlpacaPrompt(prompt, example.tools) ?? refuseAnswer(answer);
    if (reason) return { refusal: reason };
    return { value: { ...renderAlpacaPrompt(prompt), output: answer[0]?.content ?? "" }, losses: [] };
  },
};

/** LLaMA-Factory's ranking data: the answer of Alpaca twice, `chosen` and `rejected`, both strings. */
export const dpoAlpaca: Layout = {
  name: "dpo_alpaca",
  format: "dpo",
  kind: "dpo",
  keys: [...alpacaPromptKeys, "chosen", "rejected", "tools"],
  matches: (row) => has(row, "instruction") && (has(row, "chosen") || has(row, "rejected")) && !has(row, "kto_tag"),
  read(row, report) {
    const prompt = readAlpacaPrompt(row, report);
    const chosen = readText(row, { key: "chosen", blank: "EMPTY_OUTPUT" }, report);
    const rejected = readText(row, { key: "rejected", blank: "EMPTY_OUTPUT" }, report);
    const tools = readTools(row, report);
    if (!prompt || chosen === undefined || rejected === undefined) return undefined;
    const answers = { chosen: answerOf(chosen), rejected: answerOf(rejected) };
    return { kind: "dpo", prompt, ...answers, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "dpo") return { refusal: "WRONG_KIND" };
    const { prompt, chosen, rejected, tools } = example;
    const reason = refuseAlpacaPrompt(prompt, tools) ?? refuseAnswer(chosen) ?? refuseAnswer(rejected);
    if (reason) return { refusal: reason };
    const answers = { chosen: chosen[0]?.content ?? "", rejected: rejected[0]?.content ?? "" };
    return { value: { ...renderAlpacaPrompt(prompt), ...answers }, losses: [] };
  },
};

/** Alpaca with `kto_tag`, which must be a boolean: LLaMA-Factory ignores any other. */
export const ktoAlpaca: Layout = {
  name: "kto_alpaca",
  format: "kto",
  kind: "kto",
  keys: [...alpacaPromptKeys, "output", "kto_tag", "tools"],
  matches: (row) => has(row, "instruction") && has(row, "kto_tag"),
  read(row, report) {
    const prompt = readAlpacaPrompt(row, report);
    const output = readText(row, { key: "output", blank: "EMPTY_OUTPUT" }, report);
    const label = readLabel(row, "kto_tag", report);
    const tools = readTools(row, report);
    if (!prompt || output === undefined || label === undefined) return undefined;
    return { kind: "kto", prompt, completion: answerOf(output), label, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "kto") return { refusal: "WRONG_KIND" };
    const { prompt, completion, label, tools } = example;
    const reason = refuseAlpacaPrompt(prompt, tools) ?? refuseAnswer(completion);
    if (reason) return { refusal: reason };
    const answer = { output: completion[0]?.content ?? "", kto_tag: label };
    return { value: { ...renderAlpacaPrompt(prompt), ...answer }, losses: [] };
  },
};
