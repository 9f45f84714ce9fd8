import type { Message, MessageRole } from "../example.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, pointerTo } from "../json-value.ts";
import { checkContents, sideOf } from "./check-turns.ts";
import type { Report } from "./layout.ts";
import { found } from "./read-fields.ts";
import { readToolCalls } from "./tool-calls.ts";

const roles: Readonly<Record<string, MessageRole>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};
/** Roles of other formats, whose meaning is plain. */
const foreignRoles: Readonly<Record<string, MessageRole>> = {
  human: "user",
  gpt: "assistant",
  bot: "assistant",
  model: "assistant",
  observation: "tool",
  function: "tool",
};

/** Reads messages of `{role, content}`; undefined after reporting what is wrong with one of them. */
export function readMessages(values: readonly JsonValue[], pointer: string, report: Report): Message[] | undefined {
  const messages = values.map((value, index) => readMessage(value, pointerTo(pointer, index), report));
  if (messages.some((message) => message === undefined)) return undefined;
  const whole = messages as Message[];
  const pointerOf = (index: number): string => pointerTo(pointerTo(pointer, index), "content");
  const isWell = checkContents(whole, pointerOf, report) && checkOrder(whole, pointer, report);
  return isWell ? whole : undefined;
}

function readMessage(value: JsonValue, pointer: string, report: Report): Message | undefined {
  if (!isJsonObject(value)) {
    report("NOT_AN_OBJECT", pointer, found(value));
    return undefined;
  }
  const role = readRole(value["role"], pointer, report);
  const calls = readToolCalls(value["tool_calls"], pointerTo(pointer, "tool_calls"), report);
  const content = readContent(value["content"], { pointer, hasCalls: (calls?.length ?? 0) > 0 }, report);
  const weight = readWeight(value["weight"], pointer, report);
  if (!role || calls === undefined || content === undefined || weight === undefined) return undefined;
  return {
    role,
    content,
    ...optional("name", value["name"]),
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...optional("toolCallId", value["tool_call_id"]),
    ...(weight === 0 ? { weight } : {}),
  };
}

function readRole(value: JsonValue | undefined, pointer: string, report: Report): MessageRole | undefined {
  const at = pointerTo(pointer, "role");
  if (typeof value === "string" && Object.hasOwn(roles, value)) return roles[value];
  if (typeof value === "string" && Object.hasOwn(foreignRoles, value.toLowerCase())) {
    const role = foreignRoles[value.toLowerCase()];
    report("ROLE_MAPPED", at, `${JSON.stringify(value)} was read as ${role}.`);
    return role;
  }
  if (value === undefined) report("KEY_MISSING", at, 'It is "role".');
  else report("UNKNOWN_ROLE", at, "The roles are system, developer, user, assistant and tool.");
  return undefined;
}

function readContent(
  value: JsonValue | undefined,
  { pointer, hasCalls }: { pointer: string; hasCalls: boolean },
  report: Report,
): string | undefined {
  const at = pointerTo(pointer, "content");
  if (typeof value === "string") return value;
  if (hasCalls && (value === undefined || value === null)) return "";
  if (value === undefined) report("KEY_MISSING", at, 'It is "content".');
  else if (isJsonArray(value)) report("CONTENT_PARTS", at);
  else report("NOT_A_STRING", at, found(value));
  return undefined;
}

function readWeight(value: JsonValue | undefined, pointer: string, report: Report): 0 | 1 | undefined {
  if (value === undefined || value === null || value === 1) return 1;
  if (value === 0) return 0;
  report("WEIGHT_INVALID", pointerTo(pointer, "weight"));
  return undefined;
}

/** System only at the beginning, the result of a tool only after a call. Turns of one side in a row are told. */
function checkOrder(messages: readonly Message[], pointer: string, report: Report): boolean {
  let hasOpenCalls = false;
  for (const [index, { role, toolCalls }] of messages.entries()) {
    const at = pointerTo(pointer, index);
    const fault =
      role === "system" && index > 0
        ? "SYSTEM_NOT_FIRST"
        : role === "tool" && !hasOpenCalls
          ? "TOOL_WITHOUT_CALL"
          : undefined;
    if (fault) {
      report(fault, at);
      return false;
    }
    if (role !== "tool") hasOpenCalls = toolCalls !== undefined;
    if (isUneven(messages[index - 1]?.role, role)) report("UNEVEN_ROLES", at);
  }
  return true;
}

/** Whether two turns of one side follow each other; results of calls that were made at once are well. */
function isUneven(before: MessageRole | undefined, role: MessageRole): boolean {
  if (before === undefined || (before === "tool" && role === "tool")) return false;
  return sideOf(before) === sideOf(role);
}

function optional<Key extends string>(key: Key, value: JsonValue | undefined): { [K in Key]?: string } {
  return (typeof value === "string" ? { [key]: value } : {}) as { [K in Key]?: string };
}

/** Writes messages as OpenAI does, the arguments of calls as JSON strings. */
export function renderMessages(messages: readonly Message[]): JsonObject[] {
  return messages.map(({ role, content, name, toolCalls, toolCallId, weight }) => ({
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(toolCalls ? { tool_calls: toolCalls.map(renderToolCall) } : {}),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(weight === 0 ? { weight } : {}),
  }));
}

const renderToolCall = (call: NonNullable<Message["toolCalls"]>[number]): JsonObject => ({
  ...(call.id === undefined ? {} : { id: call.id }),
  type: "function",
  function: { name: call.name, arguments: call.arguments },
});
