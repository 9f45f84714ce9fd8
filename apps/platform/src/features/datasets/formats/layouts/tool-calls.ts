import type { ToolCall } from "../example.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, pointerTo } from "../json-value.ts";
import type { Report } from "./layout.ts";
import { found, parseJson } from "./read-fields.ts";

/** Reads OpenAI's `tool_calls`: [] where there are none, undefined after reporting what is wrong. */
export function readToolCalls(value: JsonValue | undefined, pointer: string, report: Report): ToolCall[] | undefined {
  if (value === undefined || value === null) return [];
  if (!isJsonArray(value)) {
    report("NOT_A_LIST", pointer, found(value));
    return undefined;
  }
  const calls = value.map((call, index) => {
    const fn = isJsonObject(call) ? (isJsonObject(call["function"]) ? call["function"] : call) : undefined;
    const read = fn && toToolCall(fn, isJsonObject(call) ? call["id"] : undefined);
    if (!read) report("TOOL_CALL_INVALID", pointerTo(pointer, index));
    return read;
  });
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Reads the value of a ShareGPT `function_call`: the JSON text of one call or of several. */
export function parseFunctionCall(text: string): ToolCall[] | undefined {
  const value = parseJson(text);
  const list = isJsonArray(value) ? value : [value];
  const calls = list.map((call) => (isJsonObject(call) ? toToolCall(call, undefined) : undefined));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

/** The JSON text that LLaMA-Factory expects in a `function_call`. */
export function renderFunctionCall(calls: readonly ToolCall[]): string {
  const texts = calls.map(({ name, arguments: given }) => `{"name": ${JSON.stringify(name)}, "arguments": ${given}}`);
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`;
}

function toToolCall(call: JsonObject, id: JsonValue | undefined): ToolCall | undefined {
  const name = call["name"];
  const given = argumentText(call["arguments"]);
  if (typeof name !== "string" || name === "" || given === undefined) return undefined;
  return { ...(typeof id === "string" ? { id } : {}), name, arguments: given };
}

function argumentText(value: JsonValue | undefined): string | undefined {
  if (isJsonObject(value)) return JSON.stringify(value);
  if (typeof value !== "string") return undefined;
  return isJsonObject(parseJson(value)) ? value : undefined;
}
