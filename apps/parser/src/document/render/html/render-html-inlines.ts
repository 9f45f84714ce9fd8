import type { Inline } from "../../document.ts";
import { contentTarget } from "../content-target.ts";
import { escapeHtml } from "./escape-html.ts";

const tags = { strong: "strong", emphasis: "em", superscript: "sup", subscript: "sub" } as const;

/** Inlines as text-level HTML. Line ends within text become spaces, so that no blank line can end a block of HTML. */
export function renderHtmlInlines(inlines: readonly Inline[]): string {
  return inlines.map(renderInline).join("");
}

export function renderHtmlText(text: string): string {
  return escapeHtml(/[\n\r]/.test(text) ? text.replaceAll(/[\n\r]+/g, " ") : text);
}

function renderInline(inline: Inline): string {
  if (typeof inline === "string") return renderHtmlText(inline);
  if ("inlines" in inline) return renderStyled(inline);
  switch (inline.type) {
    case "code":
      return `<code>${renderHtmlText(inline.text)}</code>`;
    case "formula":
      return renderHtmlText(inline.notation === "latex" ? `$${inline.text}$` : inline.text);
    case "image":
      return renderHtmlImage(inline);
    case "noteReference":
      return `<sup><a href="#${noteAnchor(inline.id)}">${escapeHtml(inline.id)}</a></sup>`;
    case "lineBreak":
    default:
      return "<br>";
  }
}

function renderStyled(inline: Extract<Inline, { readonly inlines: readonly Inline[] }>): string {
  const content = renderHtmlInlines(inline.inlines);
  if (inline.type === "link") return `<a href="${escapeHtml(inline.target.replaceAll(/\s+/g, " "))}">${content}</a>`;
  return `<${tags[inline.type]}>${content}</${tags[inline.type]}>`;
}

export function renderHtmlImage(image: Extract<Inline, { readonly type: "image" }>): string {
  const source = contentTarget(image);
  const isShown = /^(?:https?:\/\/|data:image\/(?!svg))/i.test(source);
  const reference = isShown || source === "" ? "" : ` data-reference="${escapeHtml(source)}"`;
  return `<img${isShown ? ` src="${escapeHtml(source)}"` : reference} alt="${escapeHtml(image.alt)}">`;
}

/** The fragment that a note's reference points to. */
export function noteAnchor(id: string): string {
  return `note-${id.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}`;
}
