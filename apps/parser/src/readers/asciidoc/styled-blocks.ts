import type { Block } from "../../document/document.ts";
import { readInlines } from "./read-inlines.ts";
import { type BlockAttributes, readNested, type Scope } from "./scope.ts";

export const admonitions: ReadonlySet<string> = new Set(["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"]);

/** The title above a block, as a paragraph of its own. */
export function titleBlock({ title }: BlockAttributes, scope: Scope): Block[] {
  return title === undefined
    ? []
    : [{ type: "paragraph", inlines: [{ type: "strong", inlines: readInlines(title, scope) }] }];
}

/** A block of code; callout numbers in comments stay, since the list below explains them. */
export function readSource(lines: readonly string[], attributes: BlockAttributes, scope: Scope): Block[] {
  const language =
    attributes.style === "source" ? (attributes.positional[0] ?? attributes.named.get("language") ?? "") : "";
  const name = language.toLowerCase().replace(/[^\w#+.-]/g, "");
  return [
    ...titleBlock(attributes, scope),
    { type: "code", text: lines.join("\n"), ...(name !== "" && { language: name }) },
  ];
}

export function readAdmonition(style: string, lines: readonly string[], scope: Scope): Block[] {
  const name = style[0] + style.slice(1).toLowerCase();
  const label: Block = { type: "paragraph", inlines: [{ type: "strong", inlines: [name] }] };
  return [{ type: "quote", blocks: [label, ...readNested(lines, scope)] }];
}

export function readQuote(lines: readonly string[], attributes: BlockAttributes, scope: Scope): Block[] {
  const isVerse = attributes.style === "verse";
  const body: Block[] = isVerse ? [verse(lines, scope)] : readNested(lines, scope);
  const source = attributes.positional.filter((part) => part !== "").join(", ");
  const credit: Block[] = source === "" ? [] : [{ type: "paragraph", inlines: ["— ", ...readInlines(source, scope)] }];
  return [{ type: "quote", blocks: [...titleBlock(attributes, scope), ...body, ...credit] }];
}

function verse(lines: readonly string[], scope: Scope): Block {
  const inlines = lines.flatMap((line, index) => {
    const text = readInlines(line.trim(), scope);
    return index === 0 ? text : [{ type: "lineBreak" } as const, ...text];
  });
  return { type: "paragraph", inlines };
}
