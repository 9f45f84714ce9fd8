import type { OdfElement } from "../../containers/odf-element.ts";

/** Fields that say something else on every slide. */
const fields: ReadonlySet<string> = new Set([
  "text:page-number",
  "text:page-count",
  "text:page-name",
  "text:date",
  "text:time",
]);

/** Shapes with text of their own that master pages repeat on their slides, such as the name of a firm. */
export class MasterShapes {
  readonly #shapes = new Map<string, readonly OdfElement[]>();

  /** The roots that may have master pages: the part with the styles, and the whole file when it is flat. */
  constructor(roots: readonly (OdfElement | undefined)[]) {
    for (const root of roots) {
      for (const master of root?.child("office:master-styles")?.elements("style:master-page") ?? []) {
        this.#shapes.set(master.get("style:name") ?? "", master.elements().filter(saysSomething));
      }
    }
  }

  /** The shapes of the slide's master, the first time that a slide with this master asks for them. */
  take(page: OdfElement): readonly OdfElement[] {
    const name = page.get("draw:master-page-name") ?? "";
    const shapes = this.#shapes.get(name) ?? [];
    this.#shapes.delete(name);
    return shapes;
  }
}

function saysSomething(shape: OdfElement): boolean {
  const isShape = shape.name.startsWith("draw:") && shape.get("presentation:class") === undefined;
  return isShape && shape.descendants("text:p").some((paragraph) => hasText(paragraph));
}

function hasText(element: OdfElement): boolean {
  return element.children.some((child) =>
    typeof child === "string" ? child.trim() !== "" : !fields.has(child.name) && hasText(child),
  );
}
