export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isJsonArray(value) && !isRawNumber(value);
}

/** `Array.isArray` that also narrows read-only arrays. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A number that `parseJsonRow` kept as its text because a double cannot hold it. */
export function isRawNumber(value: unknown): boolean {
  return rawJson.isRawJSON(value);
}

/** A number that `JSON.stringify` writes with the digits it was read with. */
export function rawNumber(source: string): JsonValue {
  return rawJson.rawJSON(source) as JsonValue;
}

/** The name of a value's type as a reader of JSON knows it. */
export function jsonTypeOf(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (isRawNumber(value)) return "number";
  return isJsonArray(value) ? "array" : typeof value;
}

/** Adds a step to a JSON Pointer (RFC 6901). */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

// ECMAScript 2026's JSON.rawJSON, which the type library does not declare yet.
const rawJson = JSON as unknown as { rawJSON(text: string): unknown; isRawJSON(value: unknown): boolean };
