import type { Message } from "../example.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, pointerTo } from "../json-value.ts";
import { refuseAnswer } from "./alpaca-turns.ts";
import { checkContents, checkTurns } from "./check-turns.ts";
import type { Layout, RefusalCode, Rendered, Report } from "./layout.ts";
import { readLabel, readList, readOptionalText, readTools } from "./read-fields.ts";
import { readTurn, renderTurn, renderTurns, splitResults } from "./sharegpt-turns.ts";

const has = (row: object, key: string): boolean => Object.hasOwn(row, key);
const hasTurns = (row: JsonObject): boolean =>
  isJsonArray(row["conversations"]) && !row["conversations"].some((turn) => isJsonObject(turn) && has(turn, "role"));
const promptKeys = ["conversations", "system", "tools"] as const;

/** `{"conversations": [{"from", "value"}], "system", "tools"}`. */
export const sharegpt: Layout = {
  name: "sharegpt",
  format: "sharegpt",
  kind: "sft",
  keys: promptKeys,
  matches: (row) => hasTurns(row) && !has(row, "kto_tag") && !has(row, "chosen") && !has(row, "rejected"),
  read(row, report) {
    const messages = readConversation(row, "assistant", report);
    const tools = readTools(row, report);
    return messages && { kind: "sft", messages, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "sft") return { refusal: "WRONG_KIND" };
    return renderConversation(example.messages, { end: "assistant", tools: example.tools }, () => ({}));
  },
};

/** LLaMA-Factory's ranking data: the conversation ends with a question; `chosen` and `rejected` are turns. */
export const dpoSharegpt: Layout = {
  name: "dpo_sharegpt",
  format: "dpo",
  kind: "dpo",
  keys: [...promptKeys, "chosen", "rejected"],
  matches: (row) => hasTurns(row) && (has(row, "chosen") || has(row, "rejected")) && !has(row, "kto_tag"),
  read(row, report) {
    const prompt = readConversation(row, "user", report);
    const chosen = readAnswer(row["chosen"], "/chosen", report);
    const rejected = readAnswer(row["rejected"], "/rejected", report);
    const tools = readTools(row, report);
    if (!prompt || !chosen || !rejected) return undefined;
    return { kind: "dpo", prompt, chosen: [chosen], rejected: [rejected], ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "dpo") return { refusal: "WRONG_KIND" };
    const { prompt, chosen, rejected, tools } = example;
    const refusal = refuseTurnAnswer(chosen) ?? refuseTurnAnswer(rejected);
    if (refusal) return { refusal };
    const [good, bad] = [chosen[0] as Message, rejected[0] as Message];
    return renderConversation(prompt, { end: "user", tools }, () => ({
      chosen: renderTurn(good),
      rejected: renderTurn(bad),
    }));
  },
};

/** ShareGPT with `kto_tag`, a boolean that judges the last answer. */
export const ktoSharegpt: Layout = {
  name: "kto_sharegpt",
  format: "kto",
  kind: "kto",
  keys: [...promptKeys, "kto_tag"],
  matches: (row) => hasTurns(row) && has(row, "kto_tag"),
  read(row, report) {
    const messages = readConversation(row, "assistant", report);
    const label = readLabel(row, "kto_tag", report);
    const tools = readTools(row, report);
    if (!messages || label === undefined) return undefined;
    const [prompt, completion] = [messages.slice(0, -1), messages.slice(-1)];
    return { kind: "kto", prompt, completion, label, ...(tools === undefined ? {} : { tools }) };
  },
  render(example) {
    if (example.kind !== "kto") return { refusal: "WRONG_KIND" };
    const { prompt, completion, label, tools } = example;
    const refusal = refuseTurnAnswer(completion);
    if (refusal) return { refusal };
    return renderConversation([...prompt, ...completion], { end: "assistant", tools }, () => ({ kto_tag: label }));
  },
};

function readConversation(row: JsonObject, end: "user" | "assistant", report: Report): Message[] | undefined {
  const values = readList(row, "conversations", report);
  const column = readOptionalText(row, "system", report);
  const read = values && readTurns(values, report);
  if (!read) return undefined;
  const first = read.find(({ role }, index) => index === 0 && role === "system");
  if (first && column !== "") report("SYSTEM_TWICE", "/system");
  const turns = first ? read.slice(1) : read;
  if (!checkAll(turns, { end, firstIndex: first ? 1 : 0 }, report)) return undefined;
  const system = first?.content ?? column;
  return system === "" ? splitResults(turns) : [{ role: "system", content: system }, ...splitResults(turns)];
}

function readTurns(values: readonly JsonValue[], report: Report): Message[] | undefined {
  const turns = values.map((value, index) => readTurn(value, pointerTo("/conversations", index), report));
  return turns.every((turn) => turn !== undefined) ? turns : undefined;
}

function checkAll(
  turns: readonly Message[],
  { end, firstIndex }: { end: "user" | "assistant"; firstIndex: number },
  report: Report,
): boolean {
  const pointerOf = (index: number): string => `/conversations/${firstIndex + index}/value`;
  const isInOrder = checkTurns(turns, { pointer: "/conversations", end, firstIndex }, report);
  const isFull = checkContents(turns, pointerOf, report);
  return isInOrder && isFull && checkResults(turns, firstIndex, report);
}

function checkResults(turns: readonly Message[], firstIndex: number, report: Report): boolean {
  const wrong = turns.findIndex(({ role }, index) => role === "tool" && !turns[index - 1]?.toolCalls);
  if (wrong >= 0) report("TOOL_WITHOUT_CALL", `/conversations/${firstIndex + wrong}`);
  return wrong < 0;
}

function readAnswer(value: JsonValue | undefined, pointer: string, report: Report): Message | undefined {
  if (value === undefined) {
    report("KEY_MISSING", pointer, `It is ${JSON.stringify(pointer.slice(1))}.`);
    return undefined;
  }
  const turn = readTurn(value, pointer, report);
  if (!turn || !checkContents([turn], () => `${pointer}/value`, report)) return undefined;
  if (turn.role === "assistant") return turn;
  report("UNKNOWN_ROLE", `${pointer}/from`, "An answer is from gpt or function_call.");
  return undefined;
}

/** As for Alpaca, but an answer may call tools. */
function refuseTurnAnswer(answer: readonly Message[]): RefusalCode | undefined {
  const [only] = answer;
  if (only?.toolCalls && answer.length === 1) return only.content === "" ? undefined : "TEXT_BESIDE_TOOL_CALLS";
  return refuseAnswer(answer);
}

function renderConversation(
  messages: readonly Message[],
  { end, tools }: { end: "user" | "assistant"; tools: string | undefined },
  answer: () => JsonObject,
): Rendered {
  const hasSystem = messages[0]?.role === "system";
  const system = hasSystem ? (messages[0]?.content ?? "") : "";
  if (hasSystem && system === "") return { refusal: "EMPTY_SYSTEM" };
  const rendered = renderTurns(hasSystem ? messages.slice(1) : messages, end);
  if ("refusal" in rendered) return rendered;
  const { turns, losses } = rendered;
  return { value: { conversations: turns, system, tools: tools ?? "", ...answer() }, losses };
}
