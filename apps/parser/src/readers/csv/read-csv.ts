import { delimitedToDocument } from "../../spreadsheet/delimited/delimited-to-document.ts";
import type { ReadDocument } from "../reader.ts";

export const readCsv: ReadDocument = (input, context) =>
  delimitedToDocument(input, { ...context, warn: (sentence) => context.warn(sentence) });
