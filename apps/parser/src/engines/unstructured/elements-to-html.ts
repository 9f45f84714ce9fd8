import { valueAt } from "../remote-service.ts";

/**
 * Elements of the Unstructured API as HTML for our reader. Types are those of
 * https://docs.unstructured.io/open-source/concepts/document-elements; running heads and feet are left out
 * unless they are to be kept.
 */
export function elementsToHtml(elements: readonly unknown[], headersFooters: "drop" | "keep"): string {
  const parts: string[] = [];
  let isInList = false;
  for (const element of elements.filter((each) => !isFurniture(each, headersFooters))) {
    const isItem = valueAt(element, "type") === "ListItem";
    if (isItem !== isInList) parts.push(isItem ? "<ul>" : "</ul>");
    isInList = isItem;
    parts.push(elementToHtml(element));
  }
  if (isInList) parts.push("</ul>");
  return parts.join("\n");
}

const breaks = new Set(["PageBreak"]);
const furniture = new Set(["Header", "Footer", "PageNumber"]);

function isFurniture(element: unknown, headersFooters: "drop" | "keep"): boolean {
  const type = String(valueAt(element, "type"));
  return breaks.has(type) || (headersFooters === "drop" && furniture.has(type));
}

function elementToHtml(element: unknown): string {
  const type = String(valueAt(element, "type"));
  const text = escape(textOf(valueAt(element, "text")));
  switch (type) {
    case "Title":
      return heading(element, text);
    case "ListItem":
      return `<li>${text}</li>`;
    case "Table":
      return textOf(valueAt(element, "metadata", "text_as_html")) || `<p>${text}</p>`;
    case "CodeSnippet":
      return `<pre>${text}</pre>`;
    case "Image":
      return text === "" ? "" : `<p>${text}</p>`;
    default:
      return `<p>${text}</p>`;
  }
}

function heading(element: unknown, text: string): string {
  const depth = valueAt(element, "metadata", "category_depth");
  const level = Math.min(6, Math.max(1, typeof depth === "number" ? depth + 1 : 1));
  return `<h${level}>${text}</h${level}>`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
