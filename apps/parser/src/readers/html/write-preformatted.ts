import type { FlowWriter } from "./flow-writer.ts";
import { attribute, elementChildren, type HtmlElement } from "./html-node.ts";
import { isHidden } from "./hidden.ts";

/** Writes `pre` and its ancestors as code, character by character. */
export function writePreformatted(element: HtmlElement, writer: FlowWriter): void {
  const text = preformattedText(element)
    .replace(/\r\n?/g, "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  if (text === "") return;
  const language = languageOf(element);
  writer.block({ type: "code", text, ...(language !== undefined && { language }) });
}

const lineBlocks = new Set(["div", "p", "li", "tr"]);
const dropped = new Set(["script", "style", "template", "button"]);

function preformattedText(element: HtmlElement): string {
  let text = "";
  for (const child of element.children) {
    if (typeof child === "string") text += child;
    else if (child.name === "br") text += "\n";
    else if (!dropped.has(child.name) && !isHidden(child)) {
      const inner = preformattedText(child);
      const isLine = lineBlocks.has(child.name);
      if (isLine && text !== "" && !text.endsWith("\n")) text += "\n";
      text += isLine && !inner.endsWith("\n") ? `${inner}\n` : inner;
    }
  }
  return text;
}

const languageClass = /(?:^|\s)(?:language|lang|highlight-source|brush:|sourceCode|src)[-\s]*([a-z0-9+#._-]{1,30})/i;
const notLanguages = new Set(["none", "plaintext", "text", "plain", "nohighlight", "default"]);

// `<pre class="language-x">`, `<pre><code class="language-x">`, `<pre lang="x">`, and Pandoc's `<pre class="sourceCode x">`.
function languageOf(element: HtmlElement): string | undefined {
  const code = elementChildren(element).find(({ name }) => name === "code");
  const candidates = [element, ...(code === undefined ? [] : [code])];
  for (const candidate of candidates) {
    const name = languageClass.exec(attribute(candidate, "class"))?.[1] ?? attribute(candidate, "data-lang");
    const language = name.toLowerCase();
    if (language !== "" && !notLanguages.has(language)) return language;
  }
  return undefined;
}
