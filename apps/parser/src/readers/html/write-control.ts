import type { FlowWriter } from "./flow-writer.ts";
import { attribute, type HtmlElement, textOf, visitElements } from "./html-node.ts";

/** Writes what a form control shows: its value, its state or its choices. Passwords and files show nothing. */
export function writeControl(element: HtmlElement, writer: FlowWriter): void {
  if (element.name === "select") return writeText(choicesOf(element).join(" / "), writer);
  if (element.name === "textarea") return writeLines(textOf(element), writer);
  const type = attribute(element, "type").toLowerCase();
  if (type === "checkbox" || type === "radio") return writeText(element.attributes.has("checked") ? "☒" : "☐", writer);
  if (type === "image") return writeText(attribute(element, "alt"), writer);
  if (!valueless.has(type)) writeText(attribute(element, "value"), writer);
}

const valueless = new Set(["password", "file", "hidden", "color", "range"]);

// The chosen options, or all of them when none is marked.
function choicesOf(select: HtmlElement): string[] {
  const options: HtmlElement[] = [];
  visitElements(select, (element) => {
    if (element.name === "option") options.push(element);
  });
  const chosen = options.filter(({ attributes }) => attributes.has("selected"));
  return (chosen.length > 0 ? chosen : options)
    .map((option) => textOf(option).trim() || attribute(option, "label"))
    .filter((label) => label !== "");
}

function writeText(text: string, writer: FlowWriter): void {
  writer.text(text === "" ? " " : ` ${text} `);
}

function writeLines(text: string, writer: FlowWriter): void {
  for (const [index, line] of text.trim().split(/\r?\n/).entries()) {
    if (index > 0) writer.lineBreak();
    writer.text(line);
  }
}
