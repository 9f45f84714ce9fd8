import { AppError } from "@attune/service-kit/app-error.ts";
import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcPackage, type OpcRelationships } from "../../containers/opc-package.ts";
import type { FieldStack } from "../../containers/word-fields.ts";
import { type WordLoss, WordLosses } from "../../containers/word-losses.ts";
import type { NumberingCounters } from "../../containers/word-numbering.ts";
import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import { readNumberings } from "./numbering.ts";
import { Styles } from "./styles.ts";

/** A flow of paragraphs and tables: the body, a note, a cell, a text box. */
export interface Story {
  readonly reading: WordReading;
  readonly relationships: OpcRelationships;
  readonly fields: FieldStack;
  readonly isInTable: boolean;
  /** Reads the paragraphs and tables inside an element as a flow of their own. */
  readBlocks(container: OpcElement, place?: { readonly isInTable: boolean }): Block[];
}

export type NoteKind = "footnote" | "endnote";

export interface NoteUse {
  readonly kind: NoteKind;
  readonly noteId: string;
  /** As references and footnotes of the document model have it. */
  readonly id: string;
}

/** Fields that a converter fills anew (ECMA-376 part 1 §17.16.5). */
const fieldsOfConversion: ReadonlySet<string> = new Set(["DATE", "TIME", "FILENAME"]);

/** All that is known while one document is read. */
export class WordReading {
  readonly opc: OpcPackage;
  readonly context: ReadContext;
  readonly mainPart: string;
  readonly styles: Styles;
  readonly numbering: NumberingCounters;
  /** Blocks of chunks in other formats, by the relationship that brings them in. */
  readonly chunks = new Map<string, readonly Block[]>();
  readonly noteUses: NoteUse[] = [];
  readonly #losses = new WordLosses();
  readonly #noteIds = new Map<string, string>();
  #blockCount = 0;

  constructor(opc: OpcPackage, mainPart: string, context: ReadContext) {
    this.opc = opc;
    this.context = context;
    this.mainPart = mainPart;
    this.styles = new Styles(this.#optionalPart("styles"));
    this.numbering = readNumberings(this.#optionalPart("numbering"));
  }

  #optionalPart(kind: string): OpcElement | undefined {
    const partName = this.opc.relationshipsOf(this.mainPart).partOfKind(kind);
    return partName === undefined ? undefined : this.readTree(partName);
  }

  /** A part as a tree; undefined, and told, when it is missing or damaged. */
  readTree(partName: string): OpcElement | undefined {
    const warn = (sentence: string): void => this.context.warn(sentence);
    let root: OpcElement | undefined;
    attempt(partName, warn, () => {
      const bytes = this.opc.read(partName);
      if (bytes === undefined) warn(`The part ${partName.slice(0, 200)} is missing.`);
      else root = parseOpcElement(decodeXml(bytes), this.context.budget.limits.maxMarkupDepth);
    });
    return root;
  }

  /** The id of a note in the document, the same each time it is referred to. */
  noteId(kind: NoteKind, noteId: string): string {
    const key = `${kind} ${noteId}`;
    let id = this.#noteIds.get(key);
    if (id === undefined) {
      id = String(this.noteUses.length + 1);
      this.#noteIds.set(key, id);
      this.noteUses.push({ kind, noteId, id });
    }
    return id;
  }

  /** The blocks of a chunk where it is first called for; a file that repeats it would grow without bounds. */
  takeChunk(id: string): readonly Block[] {
    const blocks = this.chunks.get(id) ?? [];
    this.chunks.delete(id);
    return blocks;
  }

  /** Whether the result of a field of this kind is no text of the document; counts those that are not. */
  leavesOutField(kind: string): boolean {
    const isLeftOut = this.context.options.conversionFields === "drop" && fieldsOfConversion.has(kind);
    if (isLeftOut) this.count("conversionFields");
    return isLeftOut;
  }

  count(what: WordLoss): void {
    this.#losses.count(what);
  }

  countDeletion(element: OpcElement): void {
    const isMoved = element.name === "w:moveFrom";
    if (isMoved || element.descendant("w:delText") !== undefined || element.descendant("w:t") !== undefined) {
      this.count("deleted");
    }
  }

  takeBlock(): void {
    const { maxBlocks } = this.context.budget.limits;
    if (++this.#blockCount > maxBlocks) {
      throw new AppError("LIMIT_EXCEEDED", { detail: `It has more than ${maxBlocks} blocks (PARSER_MAX_BLOCKS).` });
    }
  }

  tellLeftOut(): void {
    this.#losses.tell((sentence) => this.context.warn(sentence));
  }
}
