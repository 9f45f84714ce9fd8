import { codePageLabel } from "./charsets.ts";
import type { RtfHeader } from "./header.ts";

/**
 * Collects what the font table, the style sheet and the list tables say. Entries are groups, or in the font table of some
 * writers only parted by semicolons.
 */
export class HeaderTables {
  readonly #header: RtfHeader;
  #id: number | undefined;
  #charset: number | undefined;
  #codePage: string | undefined;
  #outlineLevel: number | undefined;
  #listId: number | undefined;
  #levelKinds: number[] = [];
  #name = "";

  constructor(header: RtfHeader) {
    this.#header = header;
  }

  take(name: string, parameter: number | undefined): void {
    const value = parameter ?? 0;
    if (name === "f" || name === "s" || name === "cs" || name === "ds")
      this.#id = name === "f" || name === "s" ? value : -1;
    else if (name === "fcharset") this.#charset = value;
    else if (name === "cpg") this.#codePage = codePageLabel(value);
    else if (name === "outlinelevel") this.#outlineLevel = value;
    else this.#takeList(name, value);
  }

  #takeList(name: string, value: number): void {
    if (name === "levelnfc" || name === "levelnfcn") this.#levelKind(name, value);
    else if (name === "listid") this.#listId = value;
    else if (name === "ls" && this.#listId !== undefined) this.#header.addListOverride(value, this.#listId);
  }

  // \levelnfcn repeats \levelnfc for newer programs.
  #levelKind(name: string, value: number): void {
    if (name === "levelnfc") this.#levelKinds.push(value);
    else if (this.#levelKinds.length > 0) this.#levelKinds[this.#levelKinds.length - 1] = value;
  }

  text(text: string): void {
    if (this.#name.length < maxNameLength) this.#name += text;
  }

  /** Ends an entry of the font table or the style sheet. */
  endFont(): void {
    if (this.#id !== undefined && this.#id >= 0) {
      const name = this.#takeName();
      this.#header.fonts.set(this.#id, { charset: this.#charset, codePage: this.#codePage, name });
    }
    this.#reset();
  }

  endStyle(): void {
    const id = this.#id ?? 0;
    if (id >= 0 && this.#name !== "") {
      this.#header.styles.set(id, { name: this.#takeName(), outlineLevel: this.#outlineLevel });
    }
    this.#reset();
  }

  endList(): void {
    if (this.#listId === undefined) return;
    this.#header.addList(this.#listId, this.#levelKinds);
    this.#levelKinds = [];
    this.#reset();
  }

  #takeName(): string {
    return this.#name.split(";")[0]?.trim() ?? "";
  }

  #reset(): void {
    this.#id = undefined;
    this.#charset = undefined;
    this.#codePage = undefined;
    this.#outlineLevel = undefined;
    this.#listId = undefined;
    this.#name = "";
  }
}

const maxNameLength = 256;
