import type { Message } from "../example.ts";
import { isJsonArray, type JsonObject, type JsonValue, pointerTo } from "../json-value.ts";
import { checkContents, refuseTurns, usesTools } from "./check-turns.ts";
import type { RefusalCode, Report } from "./layout.ts";
import { found, readOptionalText, readText } from "./read-fields.ts";

/** The columns that the Alpaca layouts share: everything but the answer. */
export const alpacaPromptKeys = ["instruction", "input", "system", "history"] as const;

/** Reads system, history, instruction and input as the turns before the answer. */
export function readAlpacaPrompt(row: JsonObject, report: Report): Message[] | undefined {
  const instruction = readText(row, { key: "instruction", blank: "EMPTY_PROMPT" }, report);
  const input = readOptionalText(row, "input", report);
  const system = readOptionalText(row, "system", report);
  const history = readHistory(row["history"], report);
  if (instruction === undefined || history === undefined) return undefined;
  const content = input === "" ? instruction : `${instruction}\n${input}`;
  const first: Message[] = system === "" ? [] : [{ role: "system", content: system }];
  return [...first, ...history, { role: "user", content }];
}

function readHistory(value: JsonValue | undefined, report: Report): Message[] | undefined {
  if (value === undefined || value === null || value === "") return [];
  if (!isJsonArray(value)) {
    report("NOT_A_LIST", "/history", found(value));
    return undefined;
  }
  const wrong = value.findIndex((pair) => !isPair(pair));
  if (wrong >= 0) {
    report("HISTORY_PAIR", pointerTo("/history", wrong));
    return undefined;
  }
  const turns = (value as readonly [string, string][]).flatMap(([user, assistant]): Message[] => [
    { role: "user", content: user },
    { role: "assistant", content: assistant },
  ]);
  const isWell = checkContents(turns, (index) => `/history/${index >> 1}/${index % 2}`, report);
  return isWell ? turns : undefined;
}

const isPair = (value: JsonValue): boolean =>
  isJsonArray(value) && value.length === 2 && value.every((text) => typeof text === "string");

/** Writes turns that end with one of the user. All columns are there, also the empty ones: LLaMA-Factory reads every one. */
export function renderAlpacaPrompt(prompt: readonly Message[]): JsonObject {
  const hasSystem = prompt[0]?.role === "system";
  const turns = hasSystem ? prompt.slice(1) : prompt;
  const past = turns.slice(0, -1);
  const history = past.flatMap((turn, index) =>
    index % 2 === 0 ? [[turn.content, past[index + 1]?.content ?? ""]] : [],
  );
  const [instruction, system] = [turns.at(-1)?.content ?? "", hasSystem ? (prompt[0]?.content ?? "") : ""];
  return { instruction, input: "", system, history };
}

/** Why turns that end on the user's side cannot be Alpaca's. */
export function refuseAlpacaPrompt(prompt: readonly Message[], tools: string | undefined): RefusalCode | undefined {
  if (tools !== undefined || usesTools(prompt)) return "HAS_TOOLS";
  if (prompt[0]?.role === "system" && prompt[0].content === "") return "EMPTY_SYSTEM";
  return refuseTurns(prompt, "user");
}

/** Why an answer cannot be one string. */
export function refuseAnswer(answer: readonly Message[]): RefusalCode | undefined {
  const [only] = answer;
  if (answer.length !== 1 || only?.role !== "assistant") return "SEVERAL_ANSWERS";
  if (only.toolCalls) return "HAS_TOOLS";
  if (only.weight === 0) return "HAS_WEIGHTS";
  return only.name === undefined ? undefined : "HAS_NAMES";
}
