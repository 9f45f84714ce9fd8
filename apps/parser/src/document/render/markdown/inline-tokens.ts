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
        this.#addMarkup(codeSpan(atom.text, this.#place));
        break;
      case "formula":
        if (atom.notation === "latex") this.#addMarkup(formulaSpan(atom.text, this.#place));
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

  #addText(text: string): void {
    if (text === "") return;
    this.tokens.push({
      kind: "text",
      text: text.replaceAll(/\p{Cc}+/gu, " "),
      isLabel: this.#labelDepth > 0,
    });
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
    if (address !== undefined) {
      this.#addMarkup(this.#place.kind === "cell" ? `<${address.replaceAll("|", "\\|")}>` : `<${address}>`);
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

/** A link that shows its own address, as `<https://…>` can say it. */
function autolinkAddress(target: string, inlines: readonly Inline[]): string | undefined {
  const [shown] = inlines;
  if (inlines.length !== 1 || typeof shown !== "string") return undefined;
  if (shown === target && /^[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\p{Cc}]*$/u.test(target)) return target;
  return target === `mailto:${shown}` && /^[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(shown) ? shown : undefined;
}

/** An address between the parentheses of a link. */
export function linkDestination(target: string, place: InlinePlace): string {
  const plain = target.replaceAll(/[\n\r\t]+/g, " ").replaceAll(/[\\&](?=[!-/:-@[-`{-~#A-Za-z])/g, escapeInAddress);
  const inCell = place.kind === "cell" ? plain.replaceAll("|", "\\|") : plain;
  if (inCell === "" || !/[\s<>()\p{Cc}]/u.test(inCell)) return inCell;
  return `<${inCell.replaceAll(/[<>]/g, "\\$&")}>`;
}

// A backslash before punctuation and an entity would be decoded.
function escapeInAddress(char: string, offset: number, whole: string): string {
  if (char === "\\") return /[!-/:-@[-`{-~]/.test(whole.charAt(offset + 1)) ? "\\\\" : "\\";
  return /^&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);/.test(whole.slice(offset, offset + 40))
    ? "\\&"
    : "&";
}

function codeSpan(text: string, place: InlinePlace): string {
  const line = text.replaceAll(/[\n\r]+/g, " ");
  if (place.kind === "cell" && line.includes("\\|")) return codeElement(line);
  const fence = "`".repeat(shortestMissingRun(line, "`"));
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
  const fence = isUnescaped ? "$".repeat(Math.max(3, shortestMissingRun(line, "$"))) : "$";
  const body = isUnescaped && /^\$|\$$/.test(line) ? ` ${line} ` : line;
  return `${fence}${place.kind === "cell" ? pipesInFormula(body) : body}${fence}`;
}

// A norm's `\|` cannot be said in a cell of a GFM table; LaTeX has a name for it.
function pipesInFormula(text: string): string {
  return text.replaceAll(/\\[\\|]|\|/g, (match) => pipeReplacements[match] ?? match);
}

const pipeReplacements: Readonly<Record<string, string>> = { "\\|": "\\Vert ", "|": "\\|" };

/** Length of the shortest run of `char` that does not occur in the text. */
export function shortestMissingRun(text: string, char: "`" | "$"): number {
  if (!text.includes(char)) return 1;
  const lengths = new Set(Array.from(text.matchAll(char === "`" ? /`+/g : /\$+/g), ([run]) => run.length));
  let length = 1;
  while (lengths.has(length)) length++;
  return length;
}

/** A note's id as a GFM footnote label, which has neither spaces nor brackets. */
export function noteLabel(id: string): string {
  return id.replaceAll(/[\s[\]\\^`|<>&*_~$!]+/g, "-") || "-";
}
