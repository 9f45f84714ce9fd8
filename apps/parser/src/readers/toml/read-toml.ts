import { parse, TomlError } from "smol-toml";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";

const maxCheckedLength = 256 << 10;

/** The file as it is, in one block of code; a file that is not TOML is kept all the same, with a warning. */
export const readToml: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const error = findTomlError(text);
  if (error !== undefined) context.warn(`The file is not valid TOML: ${error}.`);
  return { metadata: {}, blocks: [{ type: "code", language: "toml", text: text.replace(/\n$/, "") }] };
};

function findTomlError(text: string): string | undefined {
  if (text.length > maxCheckedLength) return undefined;
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return error instanceof TomlError ? `line ${error.line}, column ${error.column}` : undefined;
  }
}
