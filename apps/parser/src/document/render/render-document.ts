import type { Document } from "../document.ts";
import { renderHtml } from "./html/render-html.ts";
import { renderJson } from "./json/render-json.ts";
import { renderMarkdown } from "./markdown/render-markdown.ts";
import type { RenderOptions } from "./render-options.ts";
import { selectContent } from "./select-content.ts";
import { renderText } from "./text/render-text.ts";

/** Writes a document out as text in the format asked for; ends with one newline unless the text is empty. */
export function renderDocument(document: Document, options: RenderOptions): string {
  const text = renderSelected(selectContent(document, options), options).trimEnd();
  return text === "" ? "" : `${text}\n`;
}

function renderSelected(document: Document, options: RenderOptions): string {
  switch (options.outputFormat) {
    case "markdown":
      return renderMarkdown(document, options);
    case "text":
      return renderText(document, options);
    case "html":
      return renderHtml(document, options);
    case "json":
    default:
      return renderJson(document);
  }
}
