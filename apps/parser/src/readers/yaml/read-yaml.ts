import { LineCounter, parseAllDocuments } from "yaml";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";

// The parser is slow on hostile nesting; files of settings are far smaller.
const maxCheckedLength = 64 << 10;

/** The file as it is, in one block of code; a file that is not YAML is kept all the same, with a warning. */
export const readYaml: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const error = findYamlError(text);
  if (error !== undefined) context.warn(`The file is not valid YAML: ${error}.`);
  return { metadata: {}, blocks: [{ type: "code", language: "yaml", text: text.replace(/\n$/, "") }] };
};

// Aliases are not expanded: nothing is turned into values.
function findYamlError(text: string): string | undefined {
  if (text.length > maxCheckedLength || isDeep(text)) return undefined;
  const lineCounter = new LineCounter();
  try {
    const documents = parseAllDocuments(text, {
      lineCounter,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "silent",
    });
    const position = [...documents].flatMap(({ errors }) => errors)[0]?.pos[0];
    if (position === undefined) return undefined;
    const { line, col } = lineCounter.linePos(position);
    return `line ${line}, column ${col}`;
  } catch {
    return undefined; // the checker gave up, which says nothing about the file
  }
}

// Opening and closing ones: the parser keeps an error for each that has no other.
const maxBrackets = 4000;

function isDeep(text: string): boolean {
  return (text.match(/[[\]{}]/g)?.length ?? 0) > maxBrackets || /(?:[-?:][ \t]+){50}/.test(text);
}
