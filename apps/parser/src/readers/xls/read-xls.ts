import { bookToDocument } from "../../spreadsheet/binary/book-to-document.ts";
import type { ReadDocument } from "../reader.ts";

/** Reads Excel files from before Office Open XML, and its XML format of 2003. */
export const readXls: ReadDocument = (input, context) =>
  bookToDocument(input.bytes, { ...context, warn: (sentence) => context.warn(sentence) });
