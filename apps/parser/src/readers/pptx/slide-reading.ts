import type { AppError } from "@attune/service-kit/app-error.ts";
import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcPackage, type OpcRelationships } from "../../containers/opc-package.ts";
import type { ReadContext } from "../reader.ts";

/** A slide, or the layout or master that it follows. */
export interface SlidePart {
  readonly partName: string;
  readonly root: OpcElement;
  readonly relationships: OpcRelationships;
  /** The layout of a slide, the master of a layout. */
  readonly parent: SlidePart | undefined;
  /** Its placeholders, which slides inherit from; listed when first asked for. */
  placeholders?: PlaceholderList;
}

export interface PlaceholderList {
  readonly byIndex: ReadonlyMap<string, OpcElement>;
  readonly byFamily: ReadonlyMap<string, OpcElement>;
}

/** All that is known while one presentation is read. */
export class PresentationReading {
  readonly opc: OpcPackage;
  readonly context: ReadContext;
  readonly #parents = new Map<string, SlidePart | undefined>();
  commentCount = 0;
  /** What is wrong with the first damaged part. */
  damage: AppError | undefined;
  readonly hiddenSlides: number[] = [];
  /** Layouts and masters whose own text was looked at. */
  readonly readMasters = new Set<SlidePart>();
  /** Shapes with text of layouts and masters that were left out. */
  masterShapeCount = 0;
  /** Fields with the date or time of the conversion that were left out. */
  conversionFieldCount = 0;

  constructor(opc: OpcPackage, context: ReadContext) {
    this.opc = opc;
    this.context = context;
  }

  /** A part as a tree; undefined, and told, when it is missing or damaged. */
  readTree(partName: string): OpcElement | undefined {
    const warn = (sentence: string): void => this.context.warn(sentence);
    let root: OpcElement | undefined;
    const damage = attempt(partName, warn, () => {
      const bytes = this.opc.read(partName);
      if (bytes === undefined) warn(`The part ${partName.slice(0, 200)} is missing.`);
      else root = parseOpcElement(decodeXml(bytes), this.context.budget.limits.maxMarkupDepth);
    });
    this.damage ??= damage;
    return root;
  }

  openSlide(partName: string): SlidePart | undefined {
    return this.#open(partName, "slideLayout");
  }

  #open(partName: string, parentKind: "slideLayout" | "slideMaster" | undefined): SlidePart | undefined {
    const root = this.readTree(partName);
    if (root === undefined) return undefined;
    const relationships = this.opc.relationshipsOf(partName);
    const parentName = parentKind === undefined ? undefined : relationships.partOfKind(parentKind);
    const parent = parentName === undefined ? undefined : this.#openParent(parentName, parentKind);
    return { partName, root, relationships, parent };
  }

  #openParent(partName: string, kind: string | undefined): SlidePart | undefined {
    if (!this.#parents.has(partName)) {
      this.#parents.set(partName, this.#open(partName, kind === "slideLayout" ? "slideMaster" : undefined));
    }
    return this.#parents.get(partName);
  }
}

/** What the slide's own elements inherit from: the placeholder of the same kind in its layout and its master. */
export interface Placeholder {
  /** `title`, `ctrTitle`, `subTitle`, `body`, `obj`, `dt`, `ftr`, `sldNum`, …; `obj` when the file names none. */
  readonly type: string;
  readonly index: string | undefined;
}

export function placeholderOf(shape: OpcElement): Placeholder | undefined {
  const properties = shape.elements().find(({ name }) => name.startsWith("p:nv"));
  const element = properties?.path("p:nvPr", "p:ph");
  return element && { type: element.get("type") ?? "obj", index: element.get("idx") };
}

/** The shapes that a placeholder inherits from, the nearest first. */
export function inheritedShapes(placeholder: Placeholder, slide: SlidePart): OpcElement[] {
  const shapes: OpcElement[] = [];
  for (let part = slide.parent; part !== undefined; part = part.parent) {
    const found = findPlaceholder(part, placeholder);
    if (found !== undefined) shapes.push(found);
  }
  return shapes;
}

function findPlaceholder(part: SlidePart, wanted: Placeholder): OpcElement | undefined {
  part.placeholders ??= listPlaceholders(part);
  const { byIndex, byFamily } = part.placeholders;
  const isLayout = part.parent !== undefined;
  const indexed = isLayout && wanted.index !== undefined ? byIndex.get(wanted.index) : undefined;
  return indexed ?? byFamily.get(familyOf(wanted.type));
}

function listPlaceholders({ root }: SlidePart): PlaceholderList {
  const byIndex = new Map<string, OpcElement>();
  const byFamily = new Map<string, OpcElement>();
  for (const shape of root.path("p:cSld", "p:spTree")?.elements("p:sp") ?? []) {
    const placeholder = placeholderOf(shape);
    if (placeholder === undefined) continue;
    const { index, type } = placeholder;
    if (index !== undefined && !byIndex.has(index)) byIndex.set(index, shape);
    if (!byFamily.has(familyOf(type))) byFamily.set(familyOf(type), shape);
  }
  return { byIndex, byFamily };
}

/** The kinds of placeholders that share their place and style in a master. */
export function familyOf(type: string): string {
  if (type === "title" || type === "ctrTitle") return "title";
  return type === "dt" || type === "ftr" || type === "sldNum" || type === "hdr" ? type : "body";
}
