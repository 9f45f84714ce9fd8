import { findJsonError } from "../../text/find-json-error.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";

/** The file as it is, in one block of code; a file that is not JSON is kept all the same, with a warning. */
export const readJson: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const error = findJsonError(text);
  if (error !== undefined) context.warn(`The file is not valid JSON: ${error}.`);
  return { metadata: {}, blocks: [{ type: "code", language: "json", text: text.replace(/\n$/, "") }] };
};
