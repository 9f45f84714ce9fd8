import type { Metadata } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import type { CellDefinition } from "./build-table.ts";
import { codePageLabel, decodeInFont } from "./charsets.ts";
import { characterWords, paragraphWords, specialText } from "./control-words.ts";
import { destinationOf, openDestination, starDestinations } from "./destinations.ts";
import { DocumentBuilder } from "./document-builder.ts";
import { FormulaBuilder } from "./formula-builder.ts";
import { type GroupState, initialState } from "./group-state.ts";
import { HeaderTables } from "./header-tables.ts";
import { RtfHeader } from "./header.ts";
import { toMetadata } from "./metadata.ts";
import { RowDefinition } from "./row-definition.ts";
import { privateSymbol } from "./symbol-font.ts";
import type { RtfToken } from "./tokenize.ts";

export interface Frame {
  readonly state: GroupState;
  onClose?: () => void;
  /** The first word of the group, which names what it is. */
  word?: string;
}

// Real files nest a few dozen groups; deeper ones share the state of this depth and cost nothing.
const maxDepth = 1000;
const maxRunBytes = 1 << 16;

/** Carries out the words of a file one after another ([MS-RTF] "Conventions of an RTF reader"). */
export class Interpreter {
  readonly header = new RtfHeader();
  readonly headerTables = new HeaderTables(this.header);
  readonly builder: DocumentBuilder;
  readonly context: ReadContext;
  readonly rows = new RowDefinition();
  readonly frames: Frame[] = [{ state: initialState() }];
  /** Text of the destination being captured: a field's instruction, the name of a shape's property. */
  captured = "";
  instruction = "";
  shapeProperty = "";
  pictureAlt = "";
  /** The formula that is open. */
  formula = new FormulaBuilder();
  hasHiddenText = false;
  hasDeletedText = false;
  /** Groups of comments and embedded objects that were left out. */
  readonly leftOut = { annotations: 0, objects: 0 };
  #bytes: number[] = [];
  #surplusDepth = 0;
  #toSkip = 0;
  #isStarred = false;

  constructor(context: ReadContext) {
    this.context = context;
    this.builder = new DocumentBuilder(this.header, context.budget);
  }

  get frame(): Frame {
    return this.frames.at(-1) as Frame;
  }

  get state(): GroupState {
    return this.frame.state;
  }

  take(token: RtfToken): void {
    if (token.type === "byte") {
      this.#byte(token.byte);
      return;
    }
    if (token.type === "word" && token.name === "u") {
      this.#unicode(token.parameter ?? 0x3f);
      return;
    }
    this.flush();
    if (token.type === "word") this.#word(token.name, token.parameter);
    else {
      this.#toSkip = 0;
      this.#isStarred = false;
      if (token.type === "open") this.#open();
      else this.#close();
    }
  }

  finish(): void {
    this.flush();
    while (this.frames.length > 1) this.#close();
  }

  metadata(): Metadata {
    return toMetadata(this.header.information);
  }

  #byte(byte: number): void {
    if (this.#toSkip > 0) {
      this.#toSkip--;
      return;
    }
    if (this.state.destination === "skip" || this.state.destination === "picture") return;
    this.#bytes.push(byte);
    if (this.#bytes.length >= maxRunBytes && byte < 0x30) this.flush();
  }

  /** Decodes the bytes gathered so far, in the font of the state they came in. */
  flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    const font = this.header.fonts.get(this.state.font ?? this.header.defaultFont ?? Number.NaN);
    this.text(decodeInFont(bytes, font, this.header.documentLabel));
  }

  #unicode(parameter: number): void {
    this.flush();
    this.#toSkip = 0;
    const unit = parameter & 0xffff;
    const font = this.header.fonts.get(this.state.font ?? Number.NaN);
    const isSymbol = unit >= 0xf020 && unit <= 0xf0ff;
    this.text(isSymbol ? privateSymbol(unit, font?.name ?? "") : String.fromCharCode(unit));
    this.#toSkip = this.state.fallbackLength;
  }

  /** Text goes to whatever the destination of the group makes of it. */
  text(text: string): void {
    const { destination, property } = this.state;
    if (destination === "body") this.#bodyText(text);
    else if (destination === "fonts") this.#fontText(text);
    else if (destination === "styles") this.#styleText(text);
    else if (destination === "fieldInstruction" || destination === "pictureAlt") this.captured += text;
    else if (destination === "formula") this.formula.text(text);
    else if (destination === "listText") this.builder.listText(text);
    else if (destination === "information" && property !== undefined) this.#information(property, text);
  }

  #bodyText(text: string): void {
    if (this.state.isDeleted) this.hasDeletedText ||= text.trim() !== "";
    else if (this.state.isHidden) this.hasHiddenText ||= text.trim() !== "";
    else this.builder.text(text, this.state);
  }

  // Writers that put no group around each font part them by semicolons.
  #fontText(text: string): void {
    text.split(";").forEach((part, index) => {
      if (index > 0) this.headerTables.endFont();
      this.headerTables.text(part);
    });
  }

  #styleText(text: string): void {
    text.split(";").forEach((part, index) => {
      if (index > 0) this.headerTables.endStyle();
      this.headerTables.text(part);
    });
  }

  #information(property: string, text: string): void {
    const { information } = this.header;
    const soFar = information.get(property) ?? "";
    if (soFar.length < maxPropertyLength) information.set(property, soFar + text);
  }

  #open(): void {
    if (this.frames.length > maxDepth) this.#surplusDepth++;
    else this.frames.push({ state: { ...this.state } });
  }

  #close(): void {
    if (this.#surplusDepth > 0) this.#surplusDepth--;
    else if (this.frames.length > 1) {
      this.frame.onClose?.();
      this.frames.pop();
    }
  }

  #word(name: string, parameter: number | undefined): void {
    if (this.#toSkip > 0 && name !== "*") this.#toSkip--;
    if (name === "*") {
      this.#isStarred = true;
      return;
    }
    const isStarred = this.#isStarred;
    this.#isStarred = false;
    const isFirst = this.frame.word === undefined;
    this.frame.word ??= name;
    if (this.state.destination === "formula") {
      this.#formulaWord(name, isFirst);
      return;
    }
    if (this.state.destination === "body") this.#countLeftOut(name);
    if (isStarred && !starDestinations.has(name)) this.state.destination = "skip";
    else if (destinationOf(name) !== undefined) openDestination(this, name);
    else this.#formatWord(name, parameter);
  }

  // In a formula, the first word of a group says what element it is; the others say how it looks.
  #formulaWord(name: string, isFirst: boolean): void {
    const special = specialText.get(name);
    if (special !== undefined) this.text(special);
    else if (isFirst && name.startsWith("m")) {
      const { formula } = this;
      formula.open(name);
      this.frame.onClose = () => formula.close();
    }
  }

  #countLeftOut(name: string): void {
    if (name === "annotation") this.leftOut.annotations++;
    else if (name === "objdata") this.leftOut.objects++;
  }

  #formatWord(name: string, parameter: number | undefined): void {
    const { destination } = this.state;
    if (destination === "skip") return;
    if (
      destination === "fonts" ||
      destination === "styles" ||
      destination === "lists" ||
      destination === "listOverrides"
    ) {
      this.headerTables.take(name, parameter);
    } else if (destination === "information") this.#informationWord(name, parameter);
    else this.#bodyWord(name, parameter);
  }

  #informationWord(name: string, parameter: number | undefined): void {
    if (["yr", "mo", "dy", "hr", "min", "sec"].includes(name)) {
      const time = this.state.property ?? "";
      this.header.information.set(`${time}.${name}`, String(parameter ?? 0));
    } else if (parameter === undefined) this.state.property = name;
  }

  #bodyWord(name: string, parameter: number | undefined): void {
    const special = specialText.get(name);
    if (special !== undefined) this.text(special);
    else if (characterWords.has(name)) characterWords.get(name)?.(this.state, parameter);
    else if (paragraphWords.has(name)) this.#paragraphWord(name, parameter);
    else if (this.state.destination === "body") this.#structureWord(name, parameter);
  }

  #paragraphWord(name: string, parameter: number | undefined): void {
    const change = paragraphWords.get(name);
    if (change !== undefined) this.state.paragraph = change(this.state.paragraph, parameter);
  }

  #structureWord(name: string, parameter: number | undefined): void {
    const { paragraph } = this.state;
    if (name === "par" || name === "sect") this.builder.endParagraph(paragraph);
    else if (name === "line" || name === "softline") this.builder.inline({ type: "lineBreak" }, this.state);
    else if (name === "cell") this.builder.endCell(1, paragraph);
    else if (name === "nestcell") this.builder.endCell(Math.max(2, paragraph.tableDepth), paragraph);
    else if (name === "row") this.#endRow(1, this.rows.outer);
    else if (name === "nestrow") this.#endRow(Math.max(2, paragraph.tableDepth), this.rows.nested);
    else if (!this.rows.take(name, parameter)) this.#documentWord(name, parameter);
  }

  #endRow(
    depth: number,
    { cells, isHeader }: { readonly cells: readonly CellDefinition[]; readonly isHeader: boolean },
  ): void {
    this.builder.endRow(depth, cells, isHeader);
  }

  #documentWord(name: string, parameter: number | undefined): void {
    if (name === "ansicpg") this.header.documentLabel = codePageLabel(parameter ?? 0) ?? this.header.documentLabel;
    else if (name === "deff") this.header.defaultFont = parameter;
    else if (name === "mac") this.header.documentLabel = "macintosh";
    else if (name === "pc") this.header.documentLabel = "cp437";
    else if (name === "pca") this.header.documentLabel = "cp850";
  }
}

const maxPropertyLength = 10_000;
