import type { OdfElement } from "./odf-element.ts";
import { runFormat } from "./opc-inlines.ts";

/** What a paragraph is, by its style and the styles that it derives from. */
export type ParagraphKind =
  | {
      readonly type:
        | "plain"
        | "title"
        | "subtitle"
        | "quote"
        | "code"
        | "tableHeading"
        | "tableCaption"
        | "figureCaption";
    }
  | { readonly type: "heading"; readonly level: number };

/** Formats that a style sets (true), clears (false) or leaves alone. */
export interface TextFormat {
  readonly set: number;
  readonly cleared: number;
  readonly isHidden: boolean;
}

export interface ListLevel {
  readonly isOrdered: boolean;
  readonly start: number;
}

const maxChain = 32;

/** Styles of an OpenDocument file: common ones, and automatic ones of its content. */
export class OdfStyles {
  readonly #styles = new Map<string, OdfElement>();
  readonly #automatic = new Set<string>();
  readonly #lists = new Map<string, OdfElement>();
  readonly #fonts = new Map<string, OdfElement>();
  readonly #kinds = new Map<string, ParagraphKind>();
  readonly #formats = new Map<string, TextFormat>();

  /** @param roots Roots of parts, the common styles first; later ones win. */
  constructor(roots: readonly (OdfElement | undefined)[]) {
    for (const root of roots) {
      for (const font of root?.child("office:font-face-decls")?.elements() ?? [])
        this.#fonts.set(font.get("style:name") ?? "", font);
      this.#add(root?.child("office:styles"), false);
      this.#add(root?.child("office:automatic-styles"), true);
    }
  }

  #add(holder: OdfElement | undefined, isAutomatic: boolean): void {
    for (const element of holder?.elements() ?? []) {
      const name = element.get("style:name") ?? "";
      const key = `${element.get("style:family") ?? ""}:${name}`;
      if (element.name === "text:list-style") this.#lists.set(name, element);
      else if (element.name === "style:style") {
        this.#styles.set(key, element);
        if (isAutomatic) this.#automatic.add(key);
      }
    }
  }

  /** The style and those it derives from, the nearest first. */
  chain(family: string, name: string | undefined): OdfElement[] {
    const chain: OdfElement[] = [];
    let next = name;
    while (next !== undefined && chain.length < maxChain) {
      const style = this.#styles.get(`${family}:${next}`);
      if (style === undefined || chain.includes(style)) break;
      chain.push(style);
      next = style.get("style:parent-style-name");
    }
    return chain;
  }

  paragraphKind(name: string | undefined): ParagraphKind {
    const key = name ?? "";
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = this.#findKind(name);
      this.#kinds.set(key, kind);
    }
    return kind;
  }

  #findKind(name: string | undefined): ParagraphKind {
    const chain = this.chain("paragraph", name);
    const names = chain.flatMap((style) => [style.get("style:name") ?? "", style.get("style:display-name") ?? ""]);
    for (const styleName of [...names, name ?? ""]) {
      const kind = kindByName(styleName.replaceAll("_20_", " ").trim().toLowerCase());
      if (kind !== undefined) return kind;
    }
    const level = Number(
      chain
        .find((style) => (style.get("style:default-outline-level") ?? "") !== "")
        ?.get("style:default-outline-level"),
    );
    return level >= 1 ? { type: "heading", level } : { type: "plain" };
  }

  /** Formats that a text style sets, its parents included. */
  textFormat(name: string | undefined): TextFormat {
    const key = name ?? "";
    let format = this.#formats.get(key);
    if (format === undefined) {
      format = this.#resolveFormat(this.chain("text", name));
      this.#formats.set(key, format);
    }
    return format;
  }

  /** Formats set on a paragraph itself, not by the named style that it has. */
  paragraphFormat(name: string | undefined): TextFormat {
    const isDirect = this.#automatic.has(`paragraph:${name ?? ""}`);
    const chain = this.chain("paragraph", name);
    const isHidden = this.#resolveFormat(chain).isHidden;
    return { ...this.#resolveFormat(isDirect ? chain.slice(0, 1) : []), isHidden };
  }

  #resolveFormat(chain: readonly OdfElement[]): TextFormat {
    const property = (name: string): string | undefined => {
      for (const style of chain) {
        const value = style.child("style:text-properties")?.get(name);
        if (value !== undefined) return value;
      }
      return undefined;
    };
    const position = property("style:text-position");
    const states: [number, boolean | undefined][] = [
      [runFormat.bold, isBold(property("fo:font-weight"))],
      [runFormat.italic, isItalic(property("fo:font-style"))],
      [runFormat.superscript, position === undefined ? undefined : isRaised(position, 1)],
      [runFormat.subscript, position === undefined ? undefined : isRaised(position, -1)],
      [runFormat.code, this.#isCode(chain, property)],
    ];
    const sum = (wanted: boolean): number =>
      states.reduce((bits, [bit, state]) => (state === wanted ? bits | bit : bits), 0);
    return { set: sum(true), cleared: sum(false), isHidden: property("text:display") === "none" };
  }

  #isCode(chain: readonly OdfElement[], property: (name: string) => string | undefined): boolean | undefined {
    const isNamed = chain.some((style) => /^(?:source|teletype|verbatim|code)/i.test(style.get("style:name") ?? ""));
    if (isNamed) return true;
    const font = property("style:font-name") ?? property("fo:font-family");
    if (font === undefined) return undefined;
    const family = this.#fonts.get(font)?.get("svg:font-family") ?? font;
    return /courier|consolas|\bmono\b|monospace|menlo|monaco|lucida console/i.test(family) ? true : undefined;
  }

  /** @param level One-based. */
  listLevel(name: string | undefined, level: number): ListLevel {
    const list = this.#lists.get(name ?? "");
    const found = list?.elements().find((element) => Number(element.get("text:level")) === level);
    if (found?.name !== "text:list-level-style-number") return { isOrdered: false, start: 1 };
    const start = Number(found.get("text:start-value") ?? 1);
    const isOrdered = (found.get("style:num-format") ?? "") !== "";
    return { isOrdered, start: Number.isSafeInteger(start) && start >= 0 ? start : 1 };
  }

  /** Whether the drawing page, table or the like of this style is shown. */
  isShown(family: string, name: string | undefined, property: readonly [element: string, attribute: string]): boolean {
    const [element, attribute] = property;
    const value = this.chain(family, name)
      .map((style) => style.child(element)?.get(attribute))
      .find((found) => found !== undefined);
    return value !== "hidden" && value !== "false";
  }

  /** Whether a paragraph in a list has a number or bullet at all. */
  isNumbered(name: string | undefined): boolean {
    const enabled = this.chain("paragraph", name)
      .map((style) => style.child("style:paragraph-properties")?.get("text:enable-numbering"))
      .find((found) => found !== undefined);
    return enabled !== "false";
  }

  /** Style of the list that paragraphs of this style belong to. */
  listStyleOf(name: string | undefined): string | undefined {
    return this.chain("paragraph", name)
      .map((style) => style.get("style:list-style-name"))
      .find((found) => found !== undefined);
  }
}

const namedKinds: readonly (readonly [RegExp, ParagraphKind])[] = [
  [/^title$/, { type: "title" }],
  [/^subtitle$/, { type: "subtitle" }],
  [/^(?:quotations?|quote|block ?quote|intense quote)$/, { type: "quote" }],
  [/^(?:preformatted text|source code|code|verbatim)$/, { type: "code" }],
  [/^table heading$/, { type: "tableHeading" }],
  [/^(?:table|tabelle)$/, { type: "tableCaption" }],
  [/^(?:illustration|abbildung|figure|drawing)$/, { type: "figureCaption" }],
];

function kindByName(name: string): ParagraphKind | undefined {
  const heading = /^heading ?(\d{1,2})$/.exec(name);
  if (heading !== null) return { type: "heading", level: Math.max(1, Number(heading[1])) };
  return namedKinds.find(([pattern]) => pattern.test(name))?.[1];
}

function isBold(weight: string | undefined): boolean | undefined {
  return weight === undefined ? undefined : weight === "bold" || Number(weight) >= 600;
}

function isItalic(style: string | undefined): boolean | undefined {
  return style === undefined ? undefined : style === "italic" || style === "oblique";
}

// `super 58%`, `sub 58%`, or how far in percent: `33% 58%`, `-33% 58%`.
function isRaised(position: string, sign: 1 | -1): boolean {
  const [first = ""] = position.trim().split(/\s+/);
  if (first === "super" || first === "sub") return (first === "super") === (sign === 1);
  return Math.sign(Number.parseFloat(first)) === sign;
}
