import { hash } from "node:crypto";
import type { Example } from "./example.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";

// All keys of examples, in the order in which they are hashed.
const exampleKeys =
  "kind messages prompt chosen rejected completion label text role content name toolCalls id arguments toolCallId weight tools".split(
    " ",
  );

/** SHA-256 of an example (32 bytes): the same for the same content, in whatever format and order of keys it was written. */
export function exampleHash(example: Example): Buffer {
  return hash("sha256", JSON.stringify(example, exampleKeys), "buffer");
}

/** SHA-256 of a row (32 bytes), whatever the order of its keys. */
export function rowHash(value: JsonValue): Buffer {
  return hash("sha256", canonicalJson(value), "buffer");
}

/** SHA-256 of a row that could not be parsed. */
export function textHash(text: string): Buffer {
  return hash("sha256", `text:${text}`, "buffer");
}

function canonicalJson(value: JsonValue): string {
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`).join(",")}}`;
}
