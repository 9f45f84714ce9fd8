/** What is left out of a Word document, told once for the whole of it. */
const sentences = {
  hidden: (count: number) => `Hidden text was left out (${count} ${count === 1 ? "piece" : "pieces"}).`,
  deleted: (count: number) =>
    `Text deleted under change tracking was left out (${count} ${plural(count, "deletion")}).`,
  comments: (count: number) => `Comments were left out (${count}).`,
  notes: (count: number) => `${count} ${plural(count, "note")} referred to could not be found.`,
  conversionFields: (count: number) =>
    `Fields that show when or from where the document was converted were left out (${count}).`,
  subdocuments: (count: number) => `${count} linked ${plural(count, "subdocument")} could not be read from this file.`,
} as const;

function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

export type WordLoss = keyof typeof sentences;

export class WordLosses {
  readonly #counts = new Map<WordLoss, number>();

  count(what: WordLoss): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  tell(warn: (sentence: string) => void): void {
    for (const [what, count] of this.#counts) warn(sentences[what](count));
  }
}
