import type { Block } from "../../document/document.ts";
import { admonitions, readAdmonition, readQuote, readSource, titleBlock } from "./styled-blocks.ts";
import { type BlockAttributes, type Cursor, readNested, type Scope, type Taken } from "./scope.ts";

const fence = /^(-{4,}|\.{4,}|={4,}|_{4,}|\*{4,}|\+{4,}|\/{4,}|--|```+)([\w-]{0,40})\s*$/;

/** A block between two equal lines of signs; one that never ends goes to the end of what it stands in. */
export function readDelimited({ lines, at }: Cursor, attributes: BlockAttributes, scope: Scope): Taken | undefined {
  const [, sign = "", language = ""] = fence.exec(lines[at] ?? "") ?? [];
  if (sign === "" || (language !== "" && !sign.startsWith("`"))) return undefined;
  let end = at + 1;
  while (end < lines.length && (lines[end] as string).trimEnd() !== sign) end++;
  const content = lines.slice(at + 1, end);
  const known = language === "" ? attributes : { ...attributes, style: "source", positional: [language] };
  return { blocks: readContent(sign, { content, attributes: known }, scope), lineCount: end - at + 1 };
}

interface Delimited {
  readonly content: readonly string[];
  readonly attributes: BlockAttributes;
}

function readContent(sign: string, { content, attributes }: Delimited, scope: Scope): Block[] {
  switch (sign === "--" ? "--" : sign[0]) {
    case "/":
      return [];
    case "-":
    case ".":
    case "`":
      return readSource(content, attributes, scope);
    case "+":
      return readPassthrough(content, attributes, scope);
    case "_":
      return readQuote(content, attributes, scope);
    case "*":
      return [{ type: "quote", blocks: [...titleBlock(attributes, scope), ...readNested(content, scope)] }];
    default:
      return readExample(content, attributes, scope);
  }
}

function readExample(content: readonly string[], attributes: BlockAttributes, scope: Scope): Block[] {
  if (admonitions.has(attributes.style)) return readAdmonition(attributes.style, content, scope);
  if (attributes.style === "source" || attributes.style === "listing") return readSource(content, attributes, scope);
  if (attributes.style === "quote" || attributes.style === "verse") return readQuote(content, attributes, scope);
  return [...titleBlock(attributes, scope), ...readNested(content, scope)];
}

function readPassthrough(content: readonly string[], { style }: BlockAttributes, scope: Scope): Block[] {
  const text = content.join("\n").trim();
  if (text === "") return [];
  if (style === "stem" || style === "latexmath") return [{ type: "formula", notation: "latex", text }];
  if (style === "asciimath") return [{ type: "formula", notation: "text", text }];
  scope.context.warn("Raw markup inside the text is kept as source.");
  return [{ type: "code", language: "html", text }];
}
