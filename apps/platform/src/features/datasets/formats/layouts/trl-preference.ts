import type { Message } from "../example.ts";
import { isJsonArray, type JsonObject, type JsonValue } from "../json-value.ts";
import type { Layout, Report } from "./layout.ts";
import { withTools } from "./openai-messages.ts";
import { readLabel, readTools } from "./read-fields.ts";
import { readMessages, renderMessages } from "./read-messages.ts";

const has = (row: object, key: string): boolean => Object.hasOwn(row, key);

/** TRL's `{"prompt", "chosen", "rejected"}`: all strings, or all messages; without `prompt` the answers share a beginning. */
export const dpoTrl: Layout = {
  name: "dpo_trl",
  format: "dpo",
  kind: "dpo",
  keys: ["prompt", "chosen", "rejected", "tools"],
  matches: (row) =>
    has(row, "chosen") && has(row, "rejected") && !has(row, "instruction") && !has(row, "conversations"),
  read(row, report) {
    if (!isUniform(row, ["prompt", "chosen", "rejected"], report)) return undefined;
    const chosen = readSide(row["chosen"], { pointer: "/chosen", role: "assistant" }, report);
    const rejected = readSide(row["rejected"], { pointer: "/rejected", role: "assistant" }, report);
    const tools = readTools(row, report);
    if (!chosen || !rejected) return undefined;
    const answers = has(row, "prompt")
      ? withPrompt(row, { chosen, rejected }, report)
      : implicitPrompt({ chosen, rejected }, report);
    if (!answers) return undefined;
    const isWell =
      checkAnswers(answers.chosen, "/chosen", report) && checkAnswers(answers.rejected, "/rejected", report);
    return isWell ? { kind: "dpo", ...answers, ...(tools === undefined ? {} : { tools }) } : undefined;
  },
  render(example) {
    if (example.kind !== "dpo") return { refusal: "WRONG_KIND" };
    const { prompt, chosen, rejected, tools } = example;
    const value = {
      prompt: renderMessages(prompt),
      chosen: renderMessages(chosen),
      rejected: renderMessages(rejected),
    };
    return { value: { ...value, ...withTools(tools) }, losses: [] };
  },
};

/** TRL's `{"prompt", "completion", "label"}` with a boolean label. */
export const ktoTrl: Layout = {
  name: "kto_trl",
  format: "kto",
  kind: "kto",
  keys: ["prompt", "completion", "label", "tools"],
  matches: (row) => has(row, "prompt") && has(row, "completion") && has(row, "label"),
  read(row, report) {
    const label = readLabel(row, "label", report);
    if (!isUniform(row, ["prompt", "completion"], report)) return undefined;
    const prompt = readPrompt(row["prompt"], report);
    const completion = readSide(row["completion"], { pointer: "/completion", role: "assistant" }, report);
    const tools = readTools(row, report);
    if (!prompt || !completion || label === undefined || !checkAnswers(completion, "/completion", report))
      return undefined;
    return { kind: "kto", prompt, completion, label, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "kto") return { refusal: "WRONG_KIND" };
    const { prompt, completion, label, tools } = example;
    const value = { prompt: renderMessages(prompt), completion: renderMessages(completion), label };
    return { value: { ...value, ...withTools(tools) }, losses: [] };
  },
};

interface Answers {
  readonly chosen: readonly Message[];
  readonly rejected: readonly Message[];
}

function isUniform(row: JsonObject, keys: readonly string[], report: Report): boolean {
  const present = keys.filter((key) => has(row, key));
  const lists = present.filter((key) => isJsonArray(row[key]));
  if (lists.length === 0 || lists.length === present.length) return true;
  report("MIXED_PREFERENCE", "");
  return false;
}

/** A string is one turn; a list holds messages. */
function readSide(
  value: JsonValue | undefined,
  { pointer, role }: { pointer: string; role: "user" | "assistant" },
  report: Report,
): Message[] | undefined {
  if (isJsonArray(value)) return readMessages(value, pointer, report);
  if (value === undefined) report("KEY_MISSING", pointer, `It is ${JSON.stringify(pointer.slice(1))}.`);
  else if (typeof value !== "string") report("NOT_A_STRING", pointer);
  else if (value.trim() === "") report(role === "user" ? "EMPTY_PROMPT" : "EMPTY_OUTPUT", pointer);
  else return [{ role, content: value }];
  return undefined;
}

function readPrompt(value: JsonValue | undefined, report: Report): Message[] | undefined {
  const prompt = readSide(value, { pointer: "/prompt", role: "user" }, report);
  if (!prompt) return undefined;
  const last = prompt.at(-1)?.role;
  if (last === "user" || last === "tool") return prompt;
  report(prompt.length === 0 ? "EMPTY_PROMPT" : "ENDS_WITH_ANSWER", "/prompt");
  return undefined;
}

function withPrompt(row: JsonObject, answers: Answers, report: Report): (Answers & { prompt: Message[] }) | undefined {
  const prompt = readPrompt(row["prompt"], report);
  return prompt && { prompt, ...answers };
}

/** The turns that both conversations begin with are the prompt, as TRL's `extract_prompt` has it. */
function implicitPrompt(
  { chosen, rejected }: Answers,
  report: Report,
): (Answers & { prompt: readonly Message[] }) | undefined {
  let shared = 0;
  while (shared < chosen.length && JSON.stringify(chosen[shared]) === JSON.stringify(rejected[shared])) shared++;
  // Equal conversations share their answer, too: it stays an answer, and is told as such.
  if (shared === chosen.length) shared = chosen.findLastIndex(({ role }) => role !== "assistant") + 1;
  const prompt = chosen.slice(0, shared);
  if (prompt.at(-1)?.role === "user" || prompt.at(-1)?.role === "tool")
    return { prompt, chosen: chosen.slice(shared), rejected: rejected.slice(shared) };
  report("NO_COMMON_PROMPT", "");
  return undefined;
}

function checkAnswers(answer: readonly Message[], pointer: string, report: Report): boolean {
  const isWell = answer.some(({ role }) => role === "assistant") && answer[0]?.role !== "user";
  if (!isWell) report("NO_ANSWER", pointer);
  return isWell;
}
