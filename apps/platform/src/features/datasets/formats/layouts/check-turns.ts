import type { Message, MessageRole } from "../example.ts";
import { pointerTo } from "../json-value.ts";
import type { RefusalCode, Report } from "./layout.ts";

type Side = "user" | "assistant";

/** LLaMA-Factory sees two sides: what is given to the model (user and tools) and what the model answers. */
export function sideOf(role: MessageRole): Side | "system" {
  return role === "tool" || role === "user" ? "user" : role;
}

interface TurnRules {
  readonly pointer: string;
  /** Who must have the last word. */
  readonly end: Side;
  /** Positions of the messages in the row begin at this one. */
  readonly firstIndex: number;
}

/**
 * Checks what LLaMA-Factory would drop without failing: turns that do not alternate, that start with an answer, or that end on
 * the wrong side. `turns` are without the system turn at the beginning. Returns whether all is well.
 */
export function checkTurns(turns: readonly Message[], rules: TurnRules, report: Report): boolean {
  const { pointer, end, firstIndex } = rules;
  const at = (index: number): string => pointerTo(pointer, firstIndex + index);
  if (turns.length < (end === "assistant" ? 2 : 1)) {
    report("TOO_FEW_TURNS", pointer);
    return false;
  }
  for (const [index, { role }] of turns.entries()) {
    const side = sideOf(role);
    if (side === (index % 2 === 0 ? "user" : "assistant")) continue;
    if (side === "system") report("SYSTEM_NOT_FIRST", at(index));
    else report(index === 0 ? "STARTS_WITH_ASSISTANT" : "CONSECUTIVE_ROLE", at(index), `Both are from ${role}.`);
    return false;
  }
  if (sideOf((turns.at(-1) as Message).role) === end) return true;
  report(end === "assistant" ? "NO_ANSWER" : "ENDS_WITH_ANSWER", at(turns.length - 1));
  return false;
}

/** Reports blank questions and answers. A turn that calls tools needs no text; a tool may return nothing. */
export function checkContents(
  messages: readonly Message[],
  pointerOf: (index: number) => string,
  report: Report,
): boolean {
  let isWell = true;
  for (const [index, { role, content, toolCalls }] of messages.entries()) {
    const mayBeBlank = role === "tool" || role === "system" || toolCalls !== undefined;
    if (mayBeBlank || content.trim() !== "") continue;
    report(role === "assistant" ? "EMPTY_OUTPUT" : "EMPTY_PROMPT", pointerOf(index));
    isWell = false;
  }
  return isWell;
}

/** Why messages cannot be written as turns that alternate between user and assistant, ending on `end`. */
export function refuseTurns(messages: readonly Message[], end: Side): RefusalCode | undefined {
  const turns = messages[0]?.role === "system" ? messages.slice(1) : messages;
  if (turns.some(({ role }) => role === "system")) return "SYSTEM_NOT_FIRST";
  if (turns.some(({ weight }) => weight === 0)) return "HAS_WEIGHTS";
  if (messages.some(({ name }) => name !== undefined)) return "HAS_NAMES";
  if (turns.length === 0 || turns.some(({ role }, index) => sideOf(role) !== (index % 2 === 0 ? "user" : "assistant")))
    return "NOT_ALTERNATING";
  return sideOf((turns.at(-1) as Message).role) === end ? undefined : "NO_FINAL_ANSWER";
}

export const usesTools = (messages: readonly Message[]): boolean =>
  messages.some(({ role, toolCalls }) => role === "tool" || toolCalls !== undefined);
