import type { FlowWriter } from "./flow-writer.ts";
import { attribute, type HtmlElement } from "./html-node.ts";

const maxTargetLength = 8192;

/** Writes a link with its address as the page has it; addresses that run code or carry content are left out. */
export function writeLink(element: HtmlElement, writer: FlowWriter): void {
  const target = attribute(element, "href");
  if (isNoteReference(element, writer)) return writer.inline({ type: "noteReference", id: target.slice(1) });
  if (!isAddress(target)) return writer.writeChildren(element);
  writer.wrapped({ type: "link", target }, () => writer.writeChildren(element));
}

function isNoteReference(element: HtmlElement, { page }: FlowWriter): boolean {
  const target = attribute(element, "href");
  if (!target.startsWith("#") || !page.noteIds.has(target.slice(1))) return false;
  const kind = `${attribute(element, "epub:type")} ${attribute(element, "role")}`;
  return /\bnoteref\b|\bdoc-noteref\b/.test(kind);
}

// Browsers ignore control characters and spaces inside a scheme, so they are taken out before it is judged.
function isAddress(target: string): boolean {
  if (target === "" || target.length > maxTargetLength) return false;
  // oxlint-disable-next-line no-control-regex -- browsers skip control characters in a scheme, so they hide one
  return !/^(?:javascript|vbscript|data):/i.test(target.replace(/[\u0000-\u0020]/g, ""));
}
