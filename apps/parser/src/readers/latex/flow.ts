import type { Block, Inline } from "../../document/document.ts";

/** Gathers inlines into paragraphs, and blocks between them. */
export class Flow {
  readonly blocks: Block[] = [];
  #inlines: Inline[] = [];
  /** Pieces of the text that follows the inlines; joined once, so that long text costs no more than its length. */
  #pieces: string[] = [];
  #isSpaced = true;

  text(text: string): void {
    const collapsed = text.replace(/[ \t\n]+/g, " ");
    const added = this.#isSpaced ? collapsed.replace(/^ /, "") : collapsed;
    if (added === "") return;
    this.#pieces.push(added);
    this.#isSpaced = added.endsWith(" ");
  }

  inline(inline: Inline): void {
    if (typeof inline === "string") this.text(inline);
    else {
      this.#endText();
      this.#inlines.push(inline);
      this.#isSpaced = isBreak(inline);
    }
  }

  block(block: Block): void {
    this.endParagraph();
    this.blocks.push(block);
  }

  endParagraph(): void {
    this.#endText();
    const inlines = trimmed(this.#inlines);
    this.#inlines = [];
    this.#isSpaced = true;
    const only = inlines[0];
    if (only === undefined) return;
    const isImage = inlines.length === 1 && typeof only === "object" && only.type === "image";
    this.blocks.push(isImage ? only : { type: "paragraph", inlines });
  }

  #endText(): void {
    if (this.#pieces.length > 0) this.#inlines.push(this.#pieces.join(""));
    this.#pieces = [];
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
