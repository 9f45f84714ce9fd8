import { contentTarget } from "../content-target.ts";
import type { Inline } from "../../document.ts";
import type { InlinePlace } from "./escape-text.ts";

export type EmphasisMark = "*" | "**";

/** Inlines in a row: text to escape, markup that is final, and emphasis whose spelling depends on what stands around. */
export type InlineToken =
  | { readonly kind: "text"; readonly text: string; readonly isLabel: boolean }
  | { readonly kind: "markup"; readonly text: string }
  | { readonly kind: "open" | "close"; readonly mark: EmphasisMark };

type Styled = Extract<Inline, { readonly type: "strong" | "emphasis" | "superscript" | "subscript" }>;

/** Collects tokens from inlines, which must have been selected for output. */
export class InlineTokens {
  readonly tokens: InlineToken[] = [];
  readonly #place: InlinePlace;
  readonly #openMarks = new Set<EmphasisMark>();
  #labelDepth = 0;

  constructor(place: InlinePlace) {
    this.#place = place;
  }

  addAll(inlines: readonly Inline[]): this {
    for (const inline of inlines) this.#add(inline);
    return this;
  }

  #add(inline: Inline): void {
    if (typeof inline === "string") this.#addText(inline);
    else if (!("inlines" in inline)) this.#addAtom(inline);
    else if (inline.type === "link") this.#addLink(inline);
    else this.#addStyled(inline);
  }

  #addAtom(atom: Exclude<Inline, string | { readonly inlines: readonly Inline[] }>): void {
    switch (atom.type) {
      case "code":
        this.#addMarkup(this.#mayDefine(atom.text) ? codeElement(atom.text) : codeSpan(atom.text, this.#place));
        break;
      case "formula":
        if (atom.notation === "latex") this.#addMarkup(formulaSpan(this.#formulaText(atom.text), this.#place));
        else this.#addText(atom.text);
        break;
      case "image":
        this.#addMarkup("![");
        this.#addLabel([atom.alt], `](${linkDestination(contentTarget(atom), this.#place)})`);
        break;
      case "noteReference":
        this.#addMarkup(`[^${noteLabel(atom.id)}]`);
        break;
      case "lineBreak":
      default:
        this.#addMarkup(this.#place.kind === "paragraph" ? "\\\n" : "<br>");
    }
  }

  // In a label, `]:` would make a definition of the link at the start of a paragraph.
  #mayDefine(text: string): boolean {
    return this.#labelDepth > 0 && text.includes("]:");
  }

  #formulaText(text: string): string {
    return this.#mayDefine(text) ? text.replaceAll("]:", "] :") : text;
  }

  #addText(text: string): void {
    if (text === "") return;
    const isLabel = this.#labelDepth > 0 && !hasHarmlessBrackets(text);
    this.tokens.push({ kind: "text", text: text.replaceAll(/\p{Cc}+/gu, " "), isLabel });
  }

  #addMarkup(text: string): void {
    this.tokens.push({ kind: "markup", text });
  }

  #addStyled({ type, inlines }: Styled): void {
    if (type === "superscript" || type === "subscript") {
      const tag = type === "superscript" ? "sup" : "sub";
      this.#addMarkup(`<${tag}>`);
      this.addAll(inlines);
      this.#addMarkup(`</${tag}>`);
      return;
    }
    const mark = type === "strong" ? "**" : "*";
    if (this.#openMarks.has(mark) || inlines.length === 0) {
      this.addAll(inlines);
      return;
    }
    this.#openMarks.add(mark);
    this.tokens.push({ kind: "open", mark });
    this.addAll(inlines);
    this.tokens.push({ kind: "close", mark });
    this.#openMarks.delete(mark);
  }

  #addLink({ target, inlines }: Extract<Inline, { readonly type: "link" }>): void {
    if (this.#labelDepth > 0) {
      this.addAll(inlines);
      return;
    }
    const address = autolinkAddress(target, inlines);
    if (address !== undefined && !(this.#place.kind === "cell" && address.includes("|"))) {
      this.#addMarkup(`<${address}>`);
      return;
    }
    this.#addMarkup("[");
    this.#addLabel(inlines, `](${linkDestination(target, this.#place)})`);
  }

  #addLabel(inlines: readonly Inline[], end: string): void {
    this.#labelDepth++;
    this.addAll(inlines);
    this.#labelDepth--;
    this.#addMarkup(end);
  }
}

// Brackets that pair up within a label end neither it nor anything else, unless they would be a link or a note.
function hasHarmlessBrackets(text: string): boolean {
  let depth = 0;
  for (const bracket of text.replaceAll(/[^[\]]/g, "")) {
    depth += bracket === "[" ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0 && !/\](?:\(|:)|\[\^|\\/.test(text);
}

/** A link that shows its own address, as `<https://…>` can say it. */
function autolinkAddress(target: string, inlines: readonly Inline[]): string | undefined {
  const [shown] = inlines;
  if (inlines.length !== 1 || typeof shown !== "string") return undefined;
  if (shown === target && /^[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\p{Cc}]*$/u.test(target)) return target;
  return target === `mailto:${shown}` && /^[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(shown) ? shown : undefined;
}

/** An address between the parentheses of a link. */
function linkDestination(target: string, place: InlinePlace): string {
  const escaped = target.replaceAll(/[\n\r\t]+/g, " ").replaceAll(/\\(?=[!-/:-@[-`{-~]|$)|&(?=#?\w{1,32};)/g, "\\$&");
  const plain = place.kind === "cell" ? escaped.replaceAll("|", "\\|") : escaped;
  if (!/[\s<>\p{Cc}]/u.test(plain) && hasBalancedParentheses(plain)) return plain;
  return `<${plain.replaceAll(/[<>]/g, "\\$&")}>`;
}

// CommonMark allows some nesting; three levels are more than addresses have.
function hasBalancedParentheses(target: string): boolean {
  let depth = 0;
  for (const char of target.replaceAll(/[^()]/g, "")) {
    depth += char === "(" ? 1 : -1;
    if (depth < 0 || depth > 3) return false;
  }
  return depth === 0;
}

function codeSpan(text: string, place: InlinePlace): string {
  const line = text.replaceAll(/[\n\r]+/g, " ");
  if (place.kind === "cell" && line.includes("\\|")) return codeElement(line);
  const fence = missingRun(line, "`", 1);
  const isPadded = line.startsWith("`") || line.endsWith("`") || /^ .*[^ ].* $/.test(line);
  const body = isPadded ? ` ${line} ` : line;
  return `${fence}${place.kind === "cell" ? body.replaceAll("|", "\\|") : body}${fence}`;
}

// A backslash before a vertical line cannot be said in a code span of a GFM table.
function codeElement(line: string): string {
  return `<code>${line.replaceAll(/[!-/:-@[-`{-~]/g, (char) => `&#${char.charCodeAt(0)};`)}</code>`;
}

function formulaSpan(text: string, place: InlinePlace): string {
  const line = text.replaceAll(/[\n\r]+/g, " ").trim();
  const isUnescaped = /(?<!\\)(?:\\\\)*\$/.test(line);
  const fence = isUnescaped ? missingRun(line, "$", 3) : "$";
  const body = isUnescaped && /^\$|\$$/.test(line) ? ` ${line} ` : line;
  return `${fence}${place.kind === "cell" ? pipesInFormula(body) : body}${fence}`;
}

// A norm's `\|` cannot be said in a cell of a GFM table; LaTeX has a name for it.
function pipesInFormula(text: string): string {
  return text.replaceAll(/\\[\\|]|\|/g, (match) => pipeReplacements[match] ?? match);
}

const pipeReplacements: Readonly<Record<string, string>> = { "\\|": "\\Vert ", "|": "\\|" };

/** A run of `char`, at least so long, that does not occur in the text. */
function missingRun(text: string, char: "`" | "$", minLength: number): string {
  const runs = new Set(Array.from(text.matchAll(char === "`" ? /`+/g : /\$+/g), ([run]) => run));
  let fence = char.repeat(minLength);
  while (runs.has(fence)) fence += char;
  return fence;
}

/** A note's id as a GFM footnote label, which has neither spaces nor brackets. */
export function noteLabel(id: string): string {
  return id.replaceAll(/[\s[\]\\^`|<>&*_~$!]+/g, "-") || "-";
}
