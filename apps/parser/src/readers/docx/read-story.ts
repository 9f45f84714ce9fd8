import type { OpcElement } from "../../containers/opc-element.ts";
import type { TextSpan } from "../../containers/opc-inlines.ts";
import type { OpcRelationships } from "../../containers/opc-package.ts";
import { BlockBuilder, type FlatParagraph } from "../../containers/word-blocks.ts";
import { FieldStack } from "../../containers/word-fields.ts";
import type { NumberedPlace } from "../../containers/word-numbering.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import { ommlToLatex } from "../../math/omml-to-latex.ts";
import { chosenBranch } from "./read-drawing.ts";
import { readInlines } from "./read-inlines.ts";
import { readTable } from "./read-table.ts";
import { indentOf, outlineLevelOf, type ParagraphStyle, toInteger } from "./styles.ts";
import type { Story, WordReading } from "./word-reading.ts";

const wrappers: ReadonlySet<string> = new Set(["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"]);

/** Reads a flow of paragraphs and tables, element by element. */
export class StoryReader implements Story {
  readonly reading: WordReading;
  readonly relationships: OpcRelationships;
  readonly fields: FieldStack;
  readonly isInTable: boolean;
  readonly #builder = new BlockBuilder();
  // What goes before the next paragraph: a drop capital, or a paragraph whose end was deleted.
  #pending: TextSpan[] = [];

  constructor(reading: WordReading, relationships: OpcRelationships, isInTable = false) {
    this.reading = reading;
    this.relationships = relationships;
    this.isInTable = isInTable;
    this.fields = new FieldStack((kind) => reading.leavesOutField(kind));
  }

  readBlocks(container: OpcElement, { isInTable = this.isInTable } = {}): Block[] {
    const inner = new StoryReader(this.reading, this.relationships, isInTable);
    for (const child of container.children) if (typeof child !== "string") inner.add(child);
    return inner.finish();
  }

  add(element: OpcElement): void {
    if (wrappers.has(element.name)) return this.#addAll(element);
    switch (element.name) {
      case "w:p":
        return this.#addParagraph(element);
      case "w:tbl":
        return this.#addBlocks(readTable(element, this));
      case "mc:AlternateContent":
        return this.#addAll(chosenBranch(element));
      case "m:oMathPara":
      case "m:oMath":
        return this.#addFormula(element);
      case "w:altChunk":
        return this.#addBlocks(this.reading.takeChunk(element.get("r:id") ?? ""));
      case "w:del":
      case "w:moveFrom":
        return this.reading.countDeletion(element);
      default:
        // Wrappers that are not known may hold paragraphs; properties hold none.
        return this.#addAll(element);
    }
  }

  finish(): Block[] {
    if (this.#pending.length > 0) this.#build(this.reading.styles.paragraphStyle(undefined), { spans: [] });
    return this.#builder.finish();
  }

  #addAll(container: OpcElement): void {
    for (const child of container.children) if (typeof child !== "string") this.add(child);
  }

  #addBlocks(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.reading.takeBlock();
      this.#builder.addBlock(block);
    }
  }

  #addFormula(element: OpcElement): void {
    const formulas = element.name === "m:oMath" ? [element] : element.elements("m:oMath");
    this.#addBlocks(formulas.map((formula) => ({ type: "formula", notation: "latex", text: ommlToLatex(formula) })));
  }

  #addParagraph(element: OpcElement): void {
    const properties = element.child("w:pPr");
    const style = this.reading.styles.paragraphStyle(properties?.child("w:pStyle")?.get("w:val"));
    const content = readInlines(element, this, style);
    if (!this.fields.isEmpty) this.fields.dropInstructions();
    if (joinsNext(properties)) this.#pending = [...this.#pending, ...content.spans];
    else this.#build(style, { properties, ...content });
    this.#addBlocks(content.asides);
  }

  #build(style: ParagraphStyle, { properties, spans, floats = [], isMonospaced = false }: ParagraphParts): void {
    const all = this.#pending.length === 0 ? spans : [...this.#pending, ...spans];
    this.#pending = [];
    const place = this.#placeOf(properties, style);
    if (place === undefined) this.#addBlocks(floats.map((image) => ({ type: "image", ...image })));
    else for (const image of floats) all.push({ content: { type: "image", ...image }, format: 0 });
    if (all.length === 0 && style.role !== "code" && style.role !== "preformatted") return;
    this.reading.takeBlock();
    this.#builder.addParagraph({
      spans: all,
      ...this.#kindOf(properties, style),
      place,
      indent: indentOf(properties) ?? place?.indent ?? style.indent,
      isMonospaced,
    });
  }

  // Cells have no headings.
  #kindOf(properties: OpcElement | undefined, style: ParagraphStyle): Pick<FlatParagraph, "role" | "headingLevel"> {
    const { role } = style;
    const canHead = !this.isInTable && role !== "toc" && role !== "caption";
    return {
      role: role === "title" && this.isInTable ? "body" : role,
      headingLevel: canHead ? outlineLevelOf(properties, style.headingLevel) : undefined,
    };
  }

  #placeOf(properties: OpcElement | undefined, style: ParagraphStyle): NumberedPlace | undefined {
    const direct = properties?.child("w:numPr");
    const numberingId = direct?.child("w:numId")?.get("w:val") ?? style.numberingId;
    if (numberingId === undefined || numberingId === "0") return undefined;
    const { numbering } = this.reading;
    const level =
      toInteger(direct?.child("w:ilvl")?.get("w:val")) ??
      numbering.levelOfStyle(numberingId, style.id) ??
      style.numberingLevel ??
      0;
    return numbering.next(numberingId, level);
  }
}

interface ParagraphParts {
  readonly properties?: OpcElement | undefined;
  readonly spans: TextSpan[];
  readonly floats?: readonly ImageContent[];
  readonly isMonospaced?: boolean;
}

// The end of the paragraph was deleted or moved away, or the paragraph is the large first letter of the next one.
function joinsNext(properties: OpcElement | undefined): boolean {
  if (properties === undefined) return false;
  const mark = properties.child("w:rPr");
  if (mark?.child("w:del") !== undefined || mark?.child("w:moveFrom") !== undefined) return true;
  const dropCap = properties.child("w:framePr")?.get("w:dropCap");
  return dropCap === "drop" || dropCap === "margin";
}
