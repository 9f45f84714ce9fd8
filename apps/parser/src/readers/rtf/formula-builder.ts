import { type OmmlElement, ommlToLatex } from "../../math/omml-to-latex.ts";

class FormulaElement implements OmmlElement {
  readonly name: string;
  readonly children: (FormulaElement | string)[] = [];
  value: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get(attribute: string): string | undefined {
    return attribute === "m:val" ? this.value : undefined;
  }
}

/**
 * Puts a formula together from groups whose first words are the elements of Office Math with an `m` before them ([MS-RTF]
 * "Mathematics"): `{\mf{\mnum{\mr a}}{\mden{\mr b}}}`.
 */
export class FormulaBuilder {
  readonly #open: FormulaElement[] = [new FormulaElement("m:oMath")];

  /** @param word Without the backslash. */
  open(word: string): void {
    const element = new FormulaElement(`m:${word.slice(1)}`);
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  text(text: string): void {
    this.#open.at(-1)?.children.push(text);
  }

  close(): void {
    const element = this.#open.length > 1 ? this.#open.pop() : undefined;
    if (element === undefined) return;
    const text = element.children.filter((child) => typeof child === "string").join("");
    if (element.name === "m:r") {
      const run = new FormulaElement("m:t");
      run.children.push(text);
      element.children.push(run);
    } else if (element.children.every((child) => typeof child === "string")) element.value = text.trim();
  }

  toLatex(): string {
    while (this.#open.length > 1) this.close();
    const [root] = this.#open;
    return root === undefined ? "" : ommlToLatex(root);
  }
}
