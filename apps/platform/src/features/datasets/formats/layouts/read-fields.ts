import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, jsonTypeOf, pointerTo } from "../json-value.ts";
import type { FindingCode } from "../finding-codes.ts";
import type { Report } from "./layout.ts";

interface TextField {
  readonly key: string;
  /** Reported where the text is blank; undefined where it may be. */
  readonly blank: FindingCode | undefined;
}

/** A required string; undefined after reporting what is wrong with it. */
export function readText(row: JsonObject, { key, blank }: TextField, report: Report): string | undefined {
  const value = row[key];
  const pointer = pointerTo("", key);
  if (value === undefined) report("KEY_MISSING", pointer, `It is ${JSON.stringify(key)}.`);
  else if (typeof value !== "string") report("NOT_A_STRING", pointer, found(value));
  else if (blank && value.trim() === "") report(blank, pointer);
  else return value;
  return undefined;
}

/** An optional string: missing, null and "" are "". */
export function readOptionalText(row: JsonObject, key: string, report: Report): string {
  const value = row[key] ?? "";
  if (typeof value === "string") return value;
  report("NOT_A_STRING", pointerTo("", key), found(value));
  return "";
}

export function readLabel(row: JsonObject, key: string, report: Report): boolean | undefined {
  const value = row[key];
  if (typeof value === "boolean") return value;
  if (value === undefined) report("KEY_MISSING", pointerTo("", key), `It is ${JSON.stringify(key)}.`);
  else report("NOT_A_BOOLEAN", pointerTo("", key), found(value));
  return undefined;
}

/** A required array. */
export function readList(row: JsonObject, key: string, report: Report): readonly JsonValue[] | undefined {
  const value = row[key];
  if (isJsonArray(value)) return value;
  if (value === undefined) report("KEY_MISSING", pointerTo("", key), `It is ${JSON.stringify(key)}.`);
  else report("NOT_A_LIST", pointerTo("", key), found(value));
  return undefined;
}

/** The column `tools` as the text of a JSON array; undefined where there are none. */
export function readTools(row: JsonObject, report: Report): string | undefined {
  const { tools } = row;
  if (tools === undefined || tools === null || tools === "") return undefined;
  if (isToolList(tools)) {
    if (tools.length === 0) return undefined;
    report("TOOLS_AS_VALUE", "/tools");
    return JSON.stringify(tools);
  }
  const parsed = typeof tools === "string" ? parseJson(tools) : undefined;
  if (isToolList(parsed)) return parsed.length === 0 ? undefined : (tools as string);
  report("TOOLS_INVALID", "/tools", found(tools));
  return undefined;
}

/** "It is a number." */
export function found(value: JsonValue | undefined): string {
  const type = jsonTypeOf(value);
  return `It is ${/^[aeiou]/.test(type) ? "an" : type === "null" || type === "nothing" ? "" : "a"} ${type}.`.replace(
    "  ",
    " ",
  );
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const isToolList = (value: JsonValue | undefined): value is readonly JsonObject[] =>
  isJsonArray(value) && value.every((tool) => isJsonObject(tool));
