import type { OpcElement } from "../../containers/opc-element.ts";
import { headingLevelOfStyle, isCodeStyle, type ParagraphRole, roleOfStyle } from "../../containers/word-names.ts";

export interface RunStyle {
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isHidden?: boolean;
  readonly vertical?: "superscript" | "subscript" | "baseline";
  readonly font?: string;
  readonly isCode?: boolean;
}

export interface ParagraphStyle extends RunStyle {
  readonly id: string;
  readonly role: ParagraphRole;
  /** From 1; absent when the style is none of a heading. */
  readonly headingLevel?: number;
  readonly numberingId?: string;
  readonly numberingLevel?: number;
  /** Left indent in twentieths of a point. */
  readonly indent?: number;
}

const plainStyle: ParagraphStyle = { id: "", role: "body" };
const maxInheritance = 64;

/** Styles of a document (`styles.xml`, ECMA-376 part 1 §17.7), resolved through `basedOn` when asked for. */
export class Styles {
  readonly language: string | undefined;
  readonly #elements = new Map<string, OpcElement>();
  readonly #paragraphStyles = new Map<string, ParagraphStyle>();
  readonly #runStyles = new Map<string, RunStyle>();
  readonly #defaultParagraphId: string | undefined;

  constructor(root: OpcElement | undefined) {
    let defaultId: string | undefined;
    for (const style of root?.elements("w:style") ?? []) {
      const id = style.get("w:styleId") ?? "";
      if (!this.#elements.has(id)) this.#elements.set(id, style);
      if (style.get("w:type") === "paragraph" && isTrue(style.get("w:default"))) defaultId ??= id;
    }
    this.#defaultParagraphId = defaultId;
    this.language = root?.path("w:docDefaults", "w:rPrDefault", "w:rPr", "w:lang")?.get("w:val");
  }

  paragraphStyle(id: string | undefined): ParagraphStyle {
    const wanted = id ?? this.#defaultParagraphId;
    if (wanted === undefined) return plainStyle;
    return this.#resolve(wanted, this.#paragraphStyles, (element, parent) => toParagraphStyle(wanted, element, parent));
  }

  runStyle(id: string): RunStyle {
    return this.#resolve(id, this.#runStyles, toRunStyle);
  }

  // Applies the definitions from the root of the inheritance down; a cycle ends where it closes.
  #resolve<Style>(
    id: string,
    known: Map<string, Style>,
    apply: (element: OpcElement | undefined, parent: Style | undefined) => Style,
  ): Style {
    const found = known.get(id);
    if (found !== undefined) return found;
    const chain: OpcElement[] = [];
    const seen = new Set<string>();
    let at: string | undefined = id;
    while (at !== undefined && !seen.has(at) && chain.length < maxInheritance) {
      seen.add(at);
      const element = this.#elements.get(at);
      if (element === undefined) break;
      chain.unshift(element);
      at = element.child("w:basedOn")?.get("w:val");
    }
    let style: Style | undefined;
    for (const element of chain) style = apply(element, style);
    style ??= apply(undefined, undefined);
    known.set(id, style);
    return style;
  }
}

function toParagraphStyle(id: string, element: OpcElement | undefined, parent = plainStyle): ParagraphStyle {
  const name = nameOf(id, element);
  const properties = element?.child("w:pPr");
  const { headingLevel: inheritedLevel, ...inherited } = parent;
  const headingLevel = headingLevelOf(name, properties, inheritedLevel);
  const indent = indentOf(properties);
  return {
    ...inherited,
    ...readRunStyle(element?.child("w:rPr")),
    ...numberingOf(properties?.child("w:numPr")),
    id,
    role: roleOfStyle(name) ?? (parent.role === "toc" ? "body" : parent.role),
    ...(headingLevel !== undefined && { headingLevel }),
    ...(indent !== undefined && { indent }),
  };
}

// Without a definition, the id is all there is: `Heading1` is often used in files without styles.
function nameOf(id: string, element: OpcElement | undefined): string {
  const name = element?.child("w:name")?.get("w:val") ?? id.replace(/(\D)(\d)$/, "$1 $2");
  return name.trim().toLowerCase();
}

function numberingOf(numbering: OpcElement | undefined): Pick<ParagraphStyle, "numberingId" | "numberingLevel"> {
  const numberingId = numbering?.child("w:numId")?.get("w:val");
  const numberingLevel = toInteger(numbering?.child("w:ilvl")?.get("w:val"));
  return { ...(numberingId !== undefined && { numberingId }), ...(numberingLevel !== undefined && { numberingLevel }) };
}

// A name says more than the outline level, which styles derived from headings reset to 9 (body text) to leave the outline.
function headingLevelOf(
  name: string,
  properties: OpcElement | undefined,
  inherited: number | undefined,
): number | undefined {
  const named = headingLevelOfStyle(name);
  if (named !== undefined) return named;
  if (roleOfStyle(name) !== undefined) return undefined;
  return outlineLevelOf(properties, inherited);
}

/** Heading level, from 1, that the outline level of these paragraph properties gives; `inherited` when they have none. */
export function outlineLevelOf(properties: OpcElement | undefined, inherited: number | undefined): number | undefined {
  const outline = toInteger(properties?.child("w:outlineLvl")?.get("w:val"));
  if (outline === undefined) return inherited;
  return outline >= 0 && outline <= 8 ? outline + 1 : undefined;
}

function toRunStyle(element: OpcElement | undefined, parent: RunStyle | undefined): RunStyle {
  const name = element?.child("w:name")?.get("w:val")?.toLowerCase() ?? "";
  return { ...parent, ...readRunStyle(element?.child("w:rPr")), ...(isCodeStyle(name) && { isCode: true }) };
}

function readRunStyle(properties: OpcElement | undefined): RunStyle {
  if (properties === undefined) return {};
  const isBold = toggleOf(properties, "w:b");
  const isItalic = toggleOf(properties, "w:i");
  const isHidden = toggleOf(properties, "w:vanish");
  const vertical = properties.child("w:vertAlign")?.get("w:val") as RunStyle["vertical"];
  const font = properties.child("w:rFonts")?.get("w:ascii");
  return {
    ...(isBold !== undefined && { isBold }),
    ...(isItalic !== undefined && { isItalic }),
    ...(isHidden !== undefined && { isHidden }),
    ...(vertical !== undefined && { vertical }),
    ...(font !== undefined && { font }),
  };
}

/** A toggle property (§17.7.3), undefined when absent. */
export function toggleOf(properties: OpcElement | undefined, name: string): boolean | undefined {
  const element = properties?.child(name);
  return element === undefined ? undefined : isTrue(element.get("w:val") ?? "1");
}

/** Left indent in twentieths of a point that these paragraph properties give. */
export function indentOf(properties: OpcElement | undefined): number | undefined {
  const element = properties?.child("w:ind");
  return toInteger(element?.get("w:left") ?? element?.get("w:start"));
}

export function isTrue(value: string | undefined): boolean {
  return value === "1" || value === "true" || value === "on";
}

export function toInteger(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Number.parseInt(text, 10);
  return Number.isSafeInteger(value) ? value : undefined;
}
