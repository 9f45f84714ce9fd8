import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { findLanguage } from "./find-language.ts";

/** The file as it is, in one block of code with its language. */
export const readCode: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const language = findLanguage(input.fileName, text);
  return {
    metadata: {},
    blocks: [{ type: "code", text: text.replace(/\n$/, ""), ...(language !== undefined && { language }) }],
  };
};
