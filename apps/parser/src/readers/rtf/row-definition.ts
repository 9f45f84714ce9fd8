import type { CellDefinition } from "./build-table.ts";

interface Definition {
  cells: CellDefinition[];
  isHeader: boolean;
}

const maxCells = 1000;

/** What \trowd and the words after it say of the cells of a row, apart for nested tables. */
export class RowDefinition {
  outer: Definition = { cells: [], isHeader: false };
  nested: Definition = { cells: [], isHeader: false };
  isNested = false;
  #isMergedLeft = false;
  #isMergedUp = false;

  /** Carries out a word; false when it is none of this kind. */
  take(name: string, parameter: number | undefined): boolean {
    const current = this.isNested ? this.nested : this.outer;
    if (name === "trowd") this.#begin();
    else if (name === "trhdr") current.isHeader = true;
    else if (name === "clmrg") this.#isMergedLeft = true;
    else if (name === "clvmrg") this.#isMergedUp = true;
    else if (name === "cellx") this.#addCell(current, parameter ?? 0);
    else return false;
    return true;
  }

  #begin(): void {
    if (this.isNested) this.nested = { cells: [], isHeader: false };
    else this.outer = { cells: [], isHeader: false };
    this.#isMergedLeft = false;
    this.#isMergedUp = false;
  }

  #addCell(current: Definition, rightTwips: number): void {
    const cell = { rightTwips, isMergedLeft: this.#isMergedLeft, isMergedUp: this.#isMergedUp };
    if (current.cells.length < maxCells) current.cells.push(cell);
    this.#isMergedLeft = false;
    this.#isMergedUp = false;
  }
}
