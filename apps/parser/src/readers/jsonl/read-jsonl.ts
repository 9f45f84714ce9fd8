import { findJsonError } from "../../text/find-json-error.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";

// Lines of `jq --seq` begin with a record separator (RFC 7464).
const separator = "\u001e";

/** The file as it is, in one block of code; lines that are not JSON are kept all the same, with a warning. */
export const readJsonLines: ReadDocument = (input, context) => {
  const text = readInputText(input, context).replaceAll(separator, "");
  const broken = brokenLines(text);
  if (broken.length > 0) {
    const more = broken.length > 1 ? ` and ${broken.length - 1} more` : "";
    context.warn(`The file is not valid JSON Lines: line ${broken[0] ?? 0}${more}.`);
  }
  return { metadata: {}, blocks: [{ type: "code", language: "json", text: text.replace(/\n$/, "") }] };
};

function brokenLines(text: string): readonly number[] {
  return text
    .split("\n")
    .flatMap((line, index) => (line.trim() !== "" && findJsonError(line) !== undefined ? [index + 1] : []));
}
