import type { Budget } from "../limits/budget.ts";
import type { OdfElement } from "./odf-element.ts";
import type { OdfNotes } from "./odf-notes.ts";
import type { OdfPackage } from "./odf-package.ts";
import type { OdfStyles } from "./odf-styles.ts";

/** An element of a formula, as the shared ground for MathML has it. */
export interface MathTree {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (MathTree | string)[];
}

/** What turning the body of a document into blocks needs. */
export interface OdfContext {
  readonly package: OdfPackage;
  readonly styles: OdfStyles;
  readonly notes: OdfNotes;
  readonly budget: Budget;
  readonly images: "none" | "placeholder" | "data_uri";
  /** LaTeX of a formula. */
  readonly renderMath: (math: MathTree) => string;
  readonly warn: (sentence: string) => void;
}

/** A `math:math` element without prefixes. */
export function toMathTree(element: OdfElement): MathTree {
  return {
    name: element.name.slice(element.name.indexOf(":") + 1),
    attributes: new Map(element.attributes.entries()),
    children: element.children.map((child) => (typeof child === "string" ? child : toMathTree(child))),
  };
}
