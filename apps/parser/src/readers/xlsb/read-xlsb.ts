import { openZip } from "../../containers/zip.ts";
import { bookToDocument } from "../../spreadsheet/binary/book-to-document.ts";
import type { ReadDocument } from "../reader.ts";

/** Reads a binary workbook. All its parts are expanded once within the budget before the library may see them. */
export const readXlsb: ReadDocument = (input, context) => {
  const archive = openZip(input.bytes, context.budget);
  for (const { name, isDirectory } of archive.entries.values()) {
    if (!isDirectory && name.toLowerCase().endsWith(".bin")) archive.read(name);
  }
  const hasDrawings = [...archive.entries.keys()].some((name) =>
    /^xl\/(?:drawings|charts|diagrams)\/\w+\.xml$/i.test(name),
  );
  if (hasDrawings) context.warn("Text boxes, pictures and charts of binary workbooks were left out.");
  return bookToDocument(input.bytes, { ...context, warn: (sentence) => context.warn(sentence) });
};
