import { AppError } from "@attune/service-kit/app-error.ts";
import { walkXml, type XmlAttributes } from "../xml/walk-xml.ts";
import { opcNamespaces } from "./opc-namespaces.ts";

/** An element held as a tree: for parts, or pieces of them, that are small against the whole document. */
export class OpcElement {
  /** With the prefix of `opcNamespaces`. */
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly children: (OpcElement | string)[] = [];

  constructor(name: string, attributes: XmlAttributes) {
    this.name = name;
    this.attributes = attributes;
  }

  get(attribute: string): string | undefined {
    return this.attributes.get(attribute);
  }

  /** The first child element of this name. */
  child(name: string): OpcElement | undefined {
    for (const child of this.children) if (typeof child !== "string" && child.name === name) return child;
    return undefined;
  }

  /** The element that this path of child names leads to. */
  path(...names: readonly string[]): OpcElement | undefined {
    const [first, ...rest] = names;
    return first === undefined ? this : this.child(first)?.path(...rest);
  }

  /** Child elements, those of this name only when one is given. */
  elements(name?: string): OpcElement[] {
    const found: OpcElement[] = [];
    for (const child of this.children) {
      if (typeof child !== "string" && (name === undefined || child.name === name)) found.push(child);
    }
    return found;
  }

  /** The first element of this name below this one, in document order. */
  descendant(name: string): OpcElement | undefined {
    for (const child of this.children) {
      if (typeof child === "string") continue;
      const found = child.name === name ? child : child.descendant(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All elements of this name below this one, in document order; none inside another one found. */
  descendants(name: string): OpcElement[] {
    return this.elements().flatMap((child) => (child.name === name ? [child] : child.descendants(name)));
  }

  /** All character data below this element. */
  get text(): string {
    let text = "";
    for (const child of this.children) text += typeof child === "string" ? child : child.text;
    return text;
  }
}

export interface ElementWalk {
  /** Elements inside one another. */
  readonly maxDepth: number;
  /** Whether this element, outside of any other chosen one, is to be built and visited as a tree. */
  isUnit(name: string, parentName: string): boolean;
  /** Called when a chosen element is complete. The tree is valid only during the call. */
  visit(element: OpcElement): void;
}

/** Elements of one tree; more are an attack on memory, or a table that no page has room for. */
const maxTreeElements = 2_000_000;

/**
 * Walks an Office Open XML part and hands out the chosen elements as trees, one after another, so that a long part is never
 * in memory as a whole.
 * @throws AppError as `walkXml` does, and `LIMIT_EXCEEDED` for one element with more than two million others inside.
 */
export function walkOpcElements(xml: string, walk: ElementWalk): void {
  const builder = new TreeBuilder(walk);
  walkXml(xml, builder, { maxDepth: walk.maxDepth, namespaces: opcNamespaces });
}

/** A whole part as one tree; undefined when it has no element. */
export function parseOpcElement(xml: string, maxDepth: number): OpcElement | undefined {
  let root: OpcElement | undefined;
  walkOpcElements(xml, { maxDepth, isUnit: () => true, visit: (element) => (root ??= element) });
  return root;
}

class TreeBuilder {
  readonly #walk: ElementWalk;
  readonly #outerNames: string[] = [];
  readonly #openElements: OpcElement[] = [];
  #current: OpcElement | undefined;
  #count = 0;

  constructor(walk: ElementWalk) {
    this.#walk = walk;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#current === undefined) this.#openOutside(name, attributes);
    else {
      if (++this.#count > maxTreeElements) throw tooManyElements();
      const element = new OpcElement(name, attributes);
      this.#current.children.push(element);
      this.#openElements.push(this.#current);
      this.#current = element;
    }
  }

  #openOutside(name: string, attributes: XmlAttributes): void {
    if (this.#walk.isUnit(name, this.#outerNames.at(-1) ?? "")) {
      this.#current = new OpcElement(name, attributes);
      this.#count = 0;
    } else this.#outerNames.push(name);
  }

  close(): void {
    const closed = this.#current;
    if (closed === undefined) this.#outerNames.pop();
    else {
      this.#current = this.#openElements.pop();
      if (this.#current === undefined) this.#walk.visit(closed);
    }
  }

  text(text: string): void {
    this.#current?.children.push(text);
  }
}

function tooManyElements(): AppError {
  return new AppError("LIMIT_EXCEEDED", { detail: `One of its tables or lists has over ${maxTreeElements} elements.` });
}
