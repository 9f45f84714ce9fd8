import type { Footnote } from "../document/document.ts";

/** Notes of a text in the order in which they are named. */
export class OdfNotes {
  readonly footnotes: Footnote[] = [];
  #last = 0;

  nextId(): string {
    return String(++this.#last);
  }
}
