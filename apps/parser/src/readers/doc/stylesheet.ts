import { headingLevelOfStyle, isCodeStyle, type ParagraphRole, roleOfStyle } from "../../containers/word-names.ts";
import { builtinStyleName } from "./builtin-styles.ts";
import { u16, u8 } from "./bytes.ts";
import { applyCharacterGroup, type CharacterChanges, resolveToggle } from "./character-changes.ts";
import { applyParagraphGroup, type GroupSource, type ParagraphChanges } from "./paragraph-changes.ts";

export interface CharacterStyle {
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isHidden: boolean;
  readonly isCode: boolean;
  readonly script: CharacterChanges["script"];
  readonly fontIndex: number | undefined;
  readonly otherFontIndex: number | undefined;
}

export interface ParagraphStyle extends CharacterStyle {
  readonly role: ParagraphRole;
  /** From 1; absent when the style is none of a heading. */
  readonly headingLevel?: number;
  readonly paragraph: Readonly<ParagraphChanges>;
}

interface Definition {
  readonly name: string;
  readonly kind: number;
  readonly baseIndex: number;
  readonly paragraphGroup: Buffer;
  readonly characterGroup: Buffer;
}

const plainCharacters: CharacterStyle = {
  isBold: false,
  isItalic: false,
  isHidden: false,
  isCode: false,
  script: undefined,
  fontIndex: undefined,
  otherFontIndex: undefined,
};
const plainStyle: ParagraphStyle = { ...plainCharacters, role: "body", paragraph: {} };
const maxInheritance = 64;

/** The styles of a document ([MS-DOC] 2.9.271), resolved through what they are based on when asked for. */
export class Stylesheet {
  readonly #definitions: readonly (Definition | undefined)[];
  readonly #source: GroupSource;
  readonly #defaultFontIndex: number | undefined;
  readonly #paragraphStyles = new Map<number, ParagraphStyle>();
  readonly #characterStyles = new Map<number, CharacterStyle>();

  constructor(bytes: Buffer, source: GroupSource) {
    this.#source = source;
    this.#definitions = readDefinitions(bytes, source.isWord6);
    this.#defaultFontIndex = bytes.length >= 16 ? u16(bytes, 14) : undefined;
  }

  paragraphStyle(index: number): ParagraphStyle {
    const root = { ...plainStyle, fontIndex: this.#defaultFontIndex };
    return this.#resolve(index, this.#paragraphStyles, (definition, parent = root) =>
      definition === undefined ? parent : this.#toParagraphStyle(definition, parent),
    );
  }

  characterStyle(index: number): CharacterStyle {
    return this.#resolve(index, this.#characterStyles, (definition, parent = plainCharacters) =>
      definition?.kind === characterKind ? this.#toCharacterStyle(definition, parent) : parent,
    );
  }

  // Applies the definitions from the root of the inheritance down, each once; a cycle ends where it closes.
  #resolve<Style>(
    index: number,
    known: Map<number, Style>,
    apply: (definition: Definition | undefined, parent: Style | undefined) => Style,
  ): Style {
    const chain: number[] = [];
    let at = index;
    while (!known.has(at) && !chain.includes(at) && chain.length < maxInheritance) {
      chain.push(at);
      at = this.#definitions[at]?.baseIndex ?? noBase;
      if (this.#definitions[at] === undefined) break;
    }
    let style = known.get(at);
    for (const own of chain.toReversed()) {
      style = apply(this.#definitions[own], style);
      known.set(own, style);
    }
    return style ?? apply(undefined, undefined);
  }

  #toParagraphStyle(definition: Definition, parent: ParagraphStyle): ParagraphStyle {
    const { name } = definition;
    const own: ParagraphChanges = {};
    applyParagraphGroup(own, definition.paragraphGroup, this.#source);
    const { headingLevel: inherited, ...rest } = parent;
    const headingLevel = headingLevelOf(name, own, inherited);
    return {
      ...rest,
      ...this.#toCharacterStyle(definition, parent),
      role: roleOfStyle(name) ?? (parent.role === "toc" ? "body" : parent.role),
      paragraph: { ...parent.paragraph, ...own },
      ...(headingLevel !== undefined && { headingLevel }),
    };
  }

  #toCharacterStyle({ name, characterGroup }: Definition, parent: CharacterStyle): CharacterStyle {
    const changes: CharacterChanges = {};
    applyCharacterGroup(changes, characterGroup, this.#source.isWord6);
    return {
      isBold: resolveToggle(changes.isBold, parent.isBold),
      isItalic: resolveToggle(changes.isItalic, parent.isItalic),
      isHidden: resolveToggle(changes.isHidden, parent.isHidden),
      isCode: parent.isCode || isCodeStyle(name),
      script: changes.script ?? parent.script,
      fontIndex: changes.fontIndex ?? parent.fontIndex,
      otherFontIndex: changes.otherFontIndex ?? parent.otherFontIndex,
    };
  }
}

// A name says more than the outline level, which styles derived from headings reset to leave the outline.
function headingLevelOf(
  name: string,
  { outlineLevel }: ParagraphChanges,
  inherited: number | undefined,
): number | undefined {
  const named = headingLevelOfStyle(name);
  if (named !== undefined) return named;
  if (roleOfStyle(name) !== undefined) return undefined;
  return outlineLevel === undefined ? inherited : headingLevelOfOutline(outlineLevel);
}

export function headingLevelOfOutline(outlineLevel: number): number | undefined {
  return outlineLevel <= 8 ? outlineLevel + 1 : undefined;
}

const paragraphKind = 1;
const characterKind = 2;
const noBase = 0xfff;

function readDefinitions(bytes: Buffer, isWord6: boolean): (Definition | undefined)[] {
  const headerBytes = u16(bytes, 0);
  const baseBytes = u16(bytes, 4);
  const definitions: (Definition | undefined)[] = [];
  let at = 2 + headerBytes;
  for (let left = u16(bytes, 2); left > 0 && at + 2 <= bytes.length; left--) {
    const size = u16(bytes, at);
    const definition = bytes.subarray(at + 2, at + 2 + size);
    definitions.push(size === 0 ? undefined : readDefinition(definition, baseBytes, isWord6));
    at += 2 + size + (size & 1);
  }
  return definitions;
}

function readDefinition(bytes: Buffer, baseBytes: number, isWord6: boolean): Definition {
  const kind = u16(bytes, 2) & 0x0f;
  const baseIndex = u16(bytes, 2) >> 4;
  const { name, end } = readName(bytes, baseBytes, isWord6);
  const [first = nothing, second = nothing] = readGroups(bytes, end, u16(bytes, 4) & 0x0f);
  const isParagraph = kind === paragraphKind;
  return {
    name: builtinStyleName(u16(bytes, 0) & 0x0fff) ?? name,
    kind,
    baseIndex,
    // The group of a paragraph begins with the number of the style itself.
    paragraphGroup: isParagraph ? first.subarray(2) : nothing,
    characterGroup: isParagraph ? second : kind === characterKind ? first : nothing,
  };
}

// A name has its length before it and a zero after it; after a comma stand other names of the style.
function readName(bytes: Buffer, at: number, isWord6: boolean): { readonly name: string; readonly end: number } {
  const unitBytes = isWord6 ? 1 : 2;
  const nameAt = at + unitBytes;
  const nameEnd = nameAt + unitBytes * (isWord6 ? u8(bytes, at) : u16(bytes, at));
  const text = bytes.toString(isWord6 ? "latin1" : "utf16le", nameAt, Math.min(nameEnd, bytes.length));
  return { name: (text.split(",")[0] ?? "").trim().toLowerCase(), end: nameEnd + unitBytes };
}

const nothing = Buffer.alloc(0);

function readGroups(bytes: Buffer, start: number, count: number): Buffer[] {
  const groups: Buffer[] = [];
  let at = start + (start & 1);
  for (let left = count; left > 0 && at + 2 <= bytes.length; left--) {
    const size = u16(bytes, at);
    groups.push(bytes.subarray(at + 2, at + 2 + size));
    at += 2 + size + (size & 1);
  }
  return groups;
}
