import { SaxesParser } from "saxes";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";

const maxCheckedLength = 16 << 20;
const chunkLength = 1 << 16;

/**
 * The file as it is, in one block of code. Nothing is expanded or followed, so that a document type declaration does no harm;
 * a file that is not well formed is kept all the same, with a warning.
 */
export const readXml: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const error = findXmlError(text);
  if (error !== undefined) context.warn(`The file is not well-formed XML: ${error}.`);
  return { metadata: {}, blocks: [{ type: "code", language: "xml", text: text.replace(/\n$/, "") }] };
};

// Entities that a document type declares are unknown to the checker, and no error.
function findXmlError(text: string): string | undefined {
  if (text.length > maxCheckedLength) return undefined;
  const parser = new SaxesParser({ position: true });
  const errors: string[] = [];
  let hasDoctype = false;
  parser.on("doctype", () => {
    hasDoctype = true;
  });
  parser.on("error", (error) => {
    const isDeclaredEntity = hasDoctype && error.message.includes("undefined entity");
    if (!isDeclaredEntity) errors.push(`line ${parser.line}, column ${parser.column + 1}`);
  });
  for (let at = 0; at < text.length && errors.length === 0; at += chunkLength) {
    parser.write(text.slice(at, at + chunkLength));
  }
  if (errors.length === 0) parser.close();
  return errors[0];
}
