import type { Inline } from "../../document/document.ts";

/** What is put around a run of inlines. */
export type Wrap =
  | { readonly type: "strong" | "emphasis" | "superscript" | "subscript" | "code" }
  | { readonly type: "link"; readonly target: string };

interface Frame {
  readonly wrap: Wrap | undefined;
  readonly inlines: Inline[];
}

const spaces = /[ \t\n\f\r]+/g;

/** Collects the inlines of one paragraph, collapsing white space as CSS `white-space: normal` does. */
export class InlineBuilder {
  readonly #frames: Frame[] = [{ wrap: undefined, inlines: [] }];
  // True where a space would be the second in a row or the first of its line.
  #swallowsSpace = true;
  #endsWithBreak = false;

  get isEmpty(): boolean {
    return this.#frames.every(({ inlines }) => inlines.length === 0);
  }

  get endsWithBreak(): boolean {
    return this.#endsWithBreak;
  }

  text(raw: string): void {
    let text = raw.replace(spaces, " ");
    if (this.#swallowsSpace && text.startsWith(" ")) text = text.slice(1);
    if (text === "") return;
    this.#swallowsSpace = text.endsWith(" ");
    this.#endsWithBreak = false;
    appendText(this.#top.inlines, text);
  }

  inline(inline: Inline): void {
    this.#swallowsSpace = false;
    this.#endsWithBreak = false;
    this.#top.inlines.push(inline);
  }

  lineBreak(): void {
    const { inlines } = this.#top;
    const last = inlines.at(-1);
    if (typeof last === "string") inlines[inlines.length - 1] = last.replace(/ $/, "");
    inlines.push({ type: "lineBreak" });
    this.#swallowsSpace = true;
    this.#endsWithBreak = true;
  }

  open(wrap: Wrap): void {
    this.#frames.push({ wrap, inlines: [] });
  }

  // Spaces at the edges move outside, because `**word **` is no emphasis in Markdown.
  close(): void {
    const frame = this.#frames.pop();
    if (frame?.wrap === undefined) return;
    const { inlines } = frame;
    const outer = this.#top.inlines;
    appendText(outer, takeLeadingSpace(inlines));
    const trailing = takeTrailingSpace(inlines);
    if (inlines.length > 0) for (const inline of wrapInlines(frame.wrap, inlines)) outer.push(inline);
    appendText(outer, trailing);
  }

  /** The paragraph so far; the builder must not be used again. */
  finish(): Inline[] {
    while (this.#frames.length > 1) this.close();
    const { inlines } = this.#top;
    trimEnd(inlines);
    trimStart(inlines);
    return inlines;
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }
}

function appendText(inlines: Inline[], text: string): void {
  if (text === "") return;
  const last = inlines.at(-1);
  if (typeof last !== "string") inlines.push(text);
  else if (!(text === " " && last.endsWith(" "))) inlines[inlines.length - 1] = last + text;
}

function takeLeadingSpace(inlines: Inline[]): string {
  const first = inlines[0];
  const space = typeof first === "string" ? (/^\s+/.exec(first)?.[0] ?? "") : "";
  if (typeof first !== "string" || space === "") return "";
  if (space === first) inlines.shift();
  else inlines[0] = first.slice(space.length);
  return space;
}

function takeTrailingSpace(inlines: Inline[]): string {
  const last = inlines.at(-1);
  if (typeof last !== "string") return "";
  const text = last.trimEnd();
  if (text === "") inlines.pop();
  else inlines[inlines.length - 1] = text;
  return last.slice(text.length);
}

function trimEnd(inlines: Inline[]): void {
  for (let last = inlines.at(-1); last !== undefined; last = inlines.at(-1)) {
    if (typeof last === "string") {
      const trimmed = last.trimEnd();
      if (trimmed !== "") {
        inlines[inlines.length - 1] = trimmed;
        return;
      }
    } else if (last.type !== "lineBreak") return;
    inlines.pop();
  }
}

function trimStart(inlines: Inline[]): void {
  for (let first = inlines[0]; first !== undefined; first = inlines[0]) {
    if (typeof first === "string") {
      const trimmed = first.trimStart();
      if (trimmed !== "") {
        inlines[0] = trimmed;
        return;
      }
    } else if (first.type !== "lineBreak") return;
    inlines.shift();
  }
}

function wrapInlines(wrap: Wrap, inlines: Inline[]): Inline[] {
  if (wrap.type === "code") return toCode(inlines);
  if (wrap.type === "superscript" && inlines.every(isNoteReference)) return inlines;
  return [wrap.type === "link" ? { ...wrap, inlines } : { type: wrap.type, inlines }];
}

function isNoteReference(inline: Inline): boolean {
  return typeof inline !== "string" && inline.type === "noteReference";
}

function toCode(inlines: readonly Inline[]): Inline[] {
  return inlines.map((inline): Inline => {
    if (typeof inline === "string") return { type: "code", text: inline };
    return "inlines" in inline ? { ...inline, inlines: toCode(inline.inlines) } : inline;
  });
}
