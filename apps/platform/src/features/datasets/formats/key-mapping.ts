import type { JsonObject, JsonValue } from "./json-value.ts";

/** Another name that a file gives to a key. */
export interface KeyMapping {
  readonly from: string;
  readonly to: string;
}

/** A row with its keys renamed, in their order. A key that is there already under its right name is left alone. */
export function mapKeys(row: JsonObject, mapping: readonly KeyMapping[]): JsonObject {
  if (mapping.length === 0) return row;
  const names = new Map(mapping.filter(({ to }) => !Object.hasOwn(row, to)).map(({ from, to }) => [from, to]));
  const entries = Object.entries(row).map(([key, value]): [string, JsonValue] => [names.get(key) ?? key, value]);
  return Object.fromEntries(entries);
}
