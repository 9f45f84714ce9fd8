import type { OpcElement } from "../../containers/opc-element.ts";
import type { TextSpan } from "../../containers/opc-inlines.ts";
import { decodeSymbolText } from "../../containers/opc-symbols.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import { ommlToLatex } from "../../math/omml-to-latex.ts";
import { symbolOf } from "../../containers/word-fields.ts";
import { chosenBranch, readDrawing, readVml } from "./read-drawing.ts";
import { plainLook, type RunLook, runLook } from "./run-look.ts";
import { isTrue, type ParagraphStyle, type RunStyle } from "./styles.ts";
import type { Story } from "./word-reading.ts";

export interface ReadInlines {
  readonly spans: TextSpan[];
  /** Text boxes, charts and diagrams anchored in the paragraph. */
  readonly asides: Block[];
  /** Pictures placed apart from the text. */
  readonly floats: ImageContent[];
  /** Whether there is text and all of it is in a monospaced font. */
  readonly isMonospaced: boolean;
}

/** The content of a paragraph. Tabs stay tabs; line breaks are inlines. */
export function readInlines(paragraph: OpcElement, story: Story, style: ParagraphStyle): ReadInlines {
  const reader = new InlineReader(story, style);
  reader.walk(paragraph);
  const { spans, asides, floats, isMonospaced } = reader;
  return { spans, asides, floats, isMonospaced };
}

const containers: ReadonlySet<string> = new Set([
  "w:ins",
  "w:moveTo",
  "w:smartTag",
  "w:customXml",
  "w:dir",
  "w:bdo",
  "w:sdtContent",
  "w:rubyBase",
  "w:rt",
]);

/** Roles whose own look is bold or italic, which says nothing more. */
const formattedRoles: ReadonlySet<string> = new Set(["title", "quote", "code", "preformatted", "caption", "toc"]);

class InlineReader implements ReadInlines {
  readonly spans: TextSpan[] = [];
  readonly asides: Block[] = [];
  readonly floats: ImageContent[] = [];
  #textLength = 0;
  #monospacedLength = 0;
  readonly #story: Story;
  readonly #style: RunStyle;
  readonly #isToc: boolean;
  #link: string | undefined;

  constructor(story: Story, style: ParagraphStyle) {
    this.#story = story;
    this.#isToc = style.role === "toc";
    const isFormatted = style.headingLevel !== undefined || formattedRoles.has(style.role);
    const { isHidden, font } = style;
    this.#style = isFormatted
      ? { ...(isHidden !== undefined && { isHidden }), ...(font !== undefined && { font }) }
      : style;
  }

  get isMonospaced(): boolean {
    return this.#textLength > 0 && this.#monospacedLength === this.#textLength;
  }

  walk(container: OpcElement): void {
    for (const child of container.children) if (typeof child !== "string") this.#readChild(child);
  }

  #readChild(element: OpcElement): void {
    const { name } = element;
    if (name === "w:r") this.#readRun(element);
    else if (containers.has(name)) this.walk(element);
    else if (name !== "w:pPr") this.#readRare(element);
  }

  #readRare(element: OpcElement): void {
    switch (element.name) {
      case "w:hyperlink":
        return this.#readHyperlink(element);
      case "w:fldSimple":
        return this.#readSimpleField(element);
      case "w:sdt":
        return this.walk(element.child("w:sdtContent") ?? element);
      case "w:del":
      case "w:moveFrom":
        return this.#story.reading.countDeletion(element);
      case "m:oMath":
      case "m:oMathPara":
        return this.#readMath(element);
      case "mc:AlternateContent":
        return this.walk(chosenBranch(element));
      case "w:subDoc":
        return this.#story.reading.count("subdocuments");
      default:
        // Wrappers that are not known may hold runs.
        return this.walk(element);
    }
  }

  #readHyperlink(element: OpcElement): void {
    const outer = this.#link;
    const relationship = this.#story.relationships.byId(element.get("r:id"));
    const anchor = element.get("w:anchor");
    if (relationship?.isExternal === true && isAddress(relationship.target)) {
      const hasPlace = anchor !== undefined && !relationship.target.includes("#");
      this.#link = hasPlace ? `${relationship.target}#${anchor}` : relationship.target;
    }
    this.walk(element);
    this.#link = outer;
  }

  #readSimpleField(element: OpcElement): void {
    const { fields } = this.#story;
    fields.begin();
    fields.addInstruction(element.get("w:instr") ?? "");
    fields.separate();
    this.walk(element);
    fields.end();
  }

  #readMath(element: OpcElement): void {
    const formulas = element.name === "m:oMath" ? [element] : element.elements("m:oMath");
    for (const formula of formulas) {
      const text = ommlToLatex(formula);
      if (text !== "") this.#push({ content: { type: "formula", notation: "latex", text }, format: 0 });
    }
  }

  #readRun(run: OpcElement): void {
    const properties = run.child("w:rPr");
    const look = runLook(properties, this.#style, this.#story.reading.styles);
    if (look.isHidden && !this.#isToc && !this.#story.fields.isInToc && run.child("w:t") !== undefined) {
      this.#story.reading.count("hidden");
    }
    for (const child of run.children) {
      if (typeof child !== "string" && child !== properties) this.#readRunChild(child, look);
    }
  }

  #readRunChild(element: OpcElement, look: RunLook): void {
    switch (element.name) {
      case "w:fldChar":
        return this.#readFieldCharacter(element, look);
      case "w:instrText":
        return this.#story.fields.addInstruction(element.text);
      case "w:commentReference":
        return this.#story.reading.count("comments");
      default:
        return look.isHidden ? undefined : this.#readShown(element, look);
    }
  }

  #readShown(element: OpcElement, look: RunLook): void {
    const plain = plainCharacters.get(element.name);
    if (plain !== undefined) return this.#push({ content: plain, format: look.format });
    switch (element.name) {
      case "w:t":
        return this.#pushText(element.text, look);
      case "w:br":
        return this.#readBreak(element);
      case "w:cr":
        return this.#push({ content: { type: "lineBreak" }, format: 0 });
      case "w:sym":
        return this.#readSymbol(element, look);
      case "w:footnoteReference":
      case "w:endnoteReference":
        return this.#readNoteReference(element);
      case "w:ruby":
        return this.#readRuby(element);
      default:
        return this.#readObject(element);
    }
  }

  #readObject(element: OpcElement): void {
    if (!this.#story.fields.isVisible) return;
    if (element.name === "mc:AlternateContent") {
      for (const child of chosenBranch(element).elements()) this.#readRunChild(child, plainLook);
      return;
    }
    const isVml = element.name === "w:pict" || element.name === "w:object";
    if (!isVml && element.name !== "w:drawing") return;
    const { images, floats, blocks } = isVml ? readVml(element, this.#story) : readDrawing(element, this.#story);
    for (const image of images) this.#push({ content: { type: "image", ...image }, format: 0 });
    for (const image of floats) this.floats.push(image);
    for (const block of blocks) this.asides.push(block);
  }

  #readFieldCharacter(element: OpcElement, look: RunLook): void {
    const { fields } = this.#story;
    switch (element.get("w:fldCharType")) {
      case "begin":
        this.#readControl(element);
        return fields.begin();
      case "separate":
        return void fields.separate();
      case "end": {
        const symbol = symbolOf(fields.end() ?? "");
        return symbol === undefined ? undefined : this.#pushText(symbol.text, { ...look, font: symbol.font });
      }
      default:
        return undefined;
    }
  }

  // Check boxes and drop-down lists of forms have no result: what they show is in their properties.
  #readControl(element: OpcElement): void {
    const control = element.child("w:ffData");
    const shown = shownCheckBox(control?.child("w:checkBox")) ?? shownChoice(control?.child("w:ddList"));
    if (shown !== undefined) this.#push({ content: shown, format: 0 });
  }

  // Breaks of pages and columns are of the paper, not of the text.
  #readBreak(element: OpcElement): void {
    const type = element.get("w:type");
    if (type === undefined || type === "textWrapping") this.#push({ content: { type: "lineBreak" }, format: 0 });
  }

  #readSymbol(element: OpcElement, look: RunLook): void {
    const code = Number.parseInt(element.get("w:char") ?? "", 16);
    if (code > 0 && code <= 0xffff) this.#pushText(String.fromCharCode(code), { ...look, font: element.get("w:font") });
  }

  #readNoteReference(element: OpcElement): void {
    const kind = element.name === "w:footnoteReference" ? "footnote" : "endnote";
    const noteId = element.get("w:id");
    if (noteId === undefined) return;
    const id = this.#story.reading.noteId(kind, noteId);
    this.#push({ content: { type: "noteReference", id }, format: 0 });
  }

  #readRuby(element: OpcElement): void {
    const readings = element.child("w:rt");
    this.walk(element.child("w:rubyBase") ?? element);
    if (readings === undefined || readings.text.trim() === "") return;
    this.#push({ content: "(", format: 0 });
    this.walk(readings);
    this.#push({ content: ")", format: 0 });
  }

  #pushText(text: string, look: RunLook): void {
    if (text === "") return;
    const { fields } = this.#story;
    if (!fields.isEmpty && !fields.isVisible) return;
    this.#textLength += text.length;
    if (look.isMonospaced) this.#monospacedLength += text.length;
    this.#push({ content: decodeSymbolText(text, look.font), format: look.format });
  }

  #push(span: TextSpan): void {
    const { fields } = this.#story;
    if (!fields.isEmpty && !fields.isVisible) return;
    const link = fields.link ?? this.#link;
    const last = this.spans.at(-1);
    const isSame = last !== undefined && last.format === span.format && last.link === link;
    if (isSame && typeof last.content === "string" && typeof span.content === "string") {
      this.spans[this.spans.length - 1] = { ...last, content: last.content + span.content };
    } else this.spans.push(link === undefined ? span : { ...span, link });
  }
}

function shownCheckBox(box: OpcElement | undefined): string | undefined {
  if (box === undefined) return undefined;
  const state = box.child("w:checked") ?? box.child("w:default");
  const isChecked = state !== undefined && isTrue(state.get("w:val") ?? "1");
  return isChecked ? "☒" : "☐";
}

function shownChoice(list: OpcElement | undefined): string | undefined {
  const chosen = (list?.child("w:result") ?? list?.child("w:default"))?.get("w:val") ?? "0";
  return list?.elements("w:listEntry")[Number(chosen)]?.get("w:val");
}

/** Addresses that are longer would repeat with every link to them. */
const maxAddress = 4_096;

function isAddress(target: string): boolean {
  return target !== "" && target.length <= maxAddress;
}

const plainCharacters: ReadonlyMap<string, string> = new Map([
  ["w:tab", "\t"],
  ["w:ptab", "\t"],
  ["w:noBreakHyphen", "\u2011"],
]);
