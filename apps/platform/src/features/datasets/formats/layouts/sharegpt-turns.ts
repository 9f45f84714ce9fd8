import type { Message } from "../example.ts";
import { isJsonObject, type JsonObject, type JsonValue, pointerTo } from "../json-value.ts";
import { refuseTurns } from "./check-turns.ts";
import type { LossCode, RefusalCode, Report } from "./layout.ts";
import { found } from "./read-fields.ts";
import { parseFunctionCall, renderFunctionCall } from "./tool-calls.ts";

/** What LLaMA-Factory puts between the results of several calls that were made at once. */
const resultSeparator = "\n</tool_response>\n<tool_response>\n";

const shareRoles = ["system", "human", "gpt", "observation", "function_call"] as const;
type ShareRole = (typeof shareRoles)[number];
const foreignRoles: Readonly<Record<string, ShareRole>> = {
  user: "human",
  assistant: "gpt",
  bot: "gpt",
  model: "gpt",
  tool: "observation",
  function: "observation",
};

/** One ShareGPT turn. An observation that holds several results stays one turn here; `splitResults` takes it apart. */
export function readTurn(value: JsonValue | undefined, pointer: string, report: Report): Message | undefined {
  if (!isJsonObject(value)) {
    report("NOT_AN_OBJECT", pointer, found(value));
    return undefined;
  }
  const role = readRole(value["from"], pointerTo(pointer, "from"), report);
  const content = value["value"];
  const at = pointerTo(pointer, "value");
  if (content === undefined) report("KEY_MISSING", at, 'It is "value".');
  else if (typeof content !== "string") report("NOT_A_STRING", at, found(content));
  else if (role) return toMessage({ role, content, at }, report);
  return undefined;
}

function toMessage(turn: { role: ShareRole; content: string; at: string }, report: Report): Message | undefined {
  const { role, content, at } = turn;
  if (role === "function_call") {
    const toolCalls = parseFunctionCall(content);
    if (!toolCalls) report("TOOL_CALL_INVALID", at);
    return toolCalls && { role: "assistant", content: "", toolCalls };
  }
  const roles = { system: "system", human: "user", gpt: "assistant", observation: "tool" } as const;
  return { role: roles[role], content };
}

function readRole(value: JsonValue | undefined, at: string, report: Report): ShareRole | undefined {
  const known = shareRoles.find((role) => role === value);
  if (known) return known;
  if (typeof value === "string" && Object.hasOwn(foreignRoles, value.toLowerCase())) {
    const role = foreignRoles[value.toLowerCase()];
    report("ROLE_MAPPED", at, `${JSON.stringify(value)} was read as ${role}.`);
    return role;
  }
  if (value === undefined) report("KEY_MISSING", at, 'It is "from".');
  else report("UNKNOWN_ROLE", at, `The roles are ${shareRoles.join(", ")}.`);
  return undefined;
}

/** Takes apart the results of calls that were made at once. */
export function splitResults(turns: readonly Message[]): Message[] {
  return turns.flatMap((turn, index): Message[] => {
    const calls = turns[index - 1]?.toolCalls?.length ?? 0;
    if (turn.role !== "tool" || calls < 2) return [turn];
    const results = turn.content.split(resultSeparator);
    return results.length === calls ? results.map((content) => ({ role: "tool", content })) : [turn];
  });
}

interface RenderedTurns {
  readonly turns: readonly JsonObject[];
  readonly losses: readonly LossCode[];
}

/** Writes messages as turns from human, gpt, function_call and observation; `end` is the side that has the last word. */
export function renderTurns(
  messages: readonly Message[],
  end: "user" | "assistant",
): RenderedTurns | { readonly refusal: RefusalCode } {
  if (messages.some(({ role, content }) => role === "tool" && content.includes(resultSeparator)))
    return { refusal: "SEPARATOR_IN_TEXT" };
  if (messages.some(({ content, toolCalls }) => toolCalls && content !== ""))
    return { refusal: "TEXT_BESIDE_TOOL_CALLS" };
  const joined = joinResults(messages);
  if (!joined) return { refusal: "NOT_ALTERNATING" };
  const refusal = refuseTurns(joined, end);
  if (refusal) return { refusal };
  const hasIds = messages.some(
    (turn) => turn.toolCallId !== undefined || turn.toolCalls?.some(({ id }) => id !== undefined),
  );
  return { turns: joined.map(renderTurn), losses: hasIds ? ["TOOL_CALL_IDS"] : [] };
}

/** Joins the results of calls that were made at once; undefined where calls and results are not the same number. */
function joinResults(messages: readonly Message[]): Message[] | undefined {
  const joined: Message[] = [];
  let [calls, results] = [0, 0];
  for (const message of messages) {
    if (message.role !== "tool") {
      if (results > 0 && results !== calls) return undefined;
      [calls, results] = [message.toolCalls?.length ?? 0, 0];
      joined.push(message);
    } else if (++results === 1) joined.push(message);
    else {
      const before = joined.pop() as Message;
      joined.push({ role: "tool", content: before.content + resultSeparator + message.content });
    }
  }
  return results > 0 && results !== calls ? undefined : joined;
}

export function renderTurn({ role, content, toolCalls }: Message): JsonObject {
  if (toolCalls) return { from: "function_call", value: renderFunctionCall(toolCalls) };
  const from = { system: "system", user: "human", assistant: "gpt", tool: "observation" }[role];
  return { from, value: content };
}
