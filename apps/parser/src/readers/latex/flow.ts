import type { Block, Inline } from "../../document/document.ts";

/** Gathers inlines into paragraphs, and blocks between them. */
export class Flow {
  readonly blocks: Block[] = [];
  #inlines: Inline[] = [];

  text(text: string): void {
    const last = this.#inlines.at(-1);
    const collapsed = text.replace(/[ \t\n]+/g, " ");
    const isSpaced = last === undefined || (typeof last === "string" && last.endsWith(" ")) || isBreak(last);
    const added = isSpaced ? collapsed.replace(/^ /, "") : collapsed;
    if (added === "") return;
    if (typeof last === "string") this.#inlines[this.#inlines.length - 1] = last + added;
    else this.#inlines.push(added);
  }

  inline(inline: Inline): void {
    if (typeof inline === "string") this.text(inline);
    else this.#inlines.push(inline);
  }

  block(block: Block): void {
    this.endParagraph();
    this.blocks.push(block);
  }

  endParagraph(): void {
    const inlines = trimmed(this.#inlines);
    this.#inlines = [];
    const only = inlines[0];
    if (only === undefined) return;
    const isImage = inlines.length === 1 && typeof only === "object" && only.type === "image";
    this.blocks.push(isImage ? only : { type: "paragraph", inlines });
  }
}

function isBreak(inline: Inline): boolean {
  return typeof inline === "object" && inline.type === "lineBreak";
}

// Spaces and line breaks at both ends of a paragraph are nothing.
function trimmed(inlines: readonly Inline[]): Inline[] {
  let end = inlines.length;
  let start = 0;
  while (end > 0 && isNothing(inlines[end - 1] as Inline)) end--;
  while (start < end && isNothing(inlines[start] as Inline)) start++;
  const kept = inlines.slice(start, end);
  const last = kept.at(-1);
  return typeof last === "string" ? [...kept.slice(0, -1), last.trimEnd()] : kept;
}

function isNothing(inline: Inline): boolean {
  return typeof inline === "string" ? inline.trim() === "" : inline.type === "lineBreak";
}
