import { AppError } from "@attune/service-kit/app-error.ts";
import { decodeEntities } from "./entities.ts";

/** What a walk over an XML text reports, in document order. Names are raw (`w:p`) unless `namespaces` maps them. */
export interface XmlVisitor {
  open?(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  /** Character data with entities resolved; CDATA too. May come in several pieces. */
  text?(text: string): void;
}

export interface XmlWalkOptions {
  /** Elements inside one another; beyond it the walk ends with `MARKUP_REFUSED`. */
  readonly maxDepth: number;
  /**
   * Namespace URI to the prefix that names are to carry, whatever prefix the file uses; an empty string drops the prefix.
   * Elements of other namespaces keep the file's own prefix.
   */
  readonly namespaces?: Readonly<Record<string, string>>;
}

const maxTagLength = 1 << 20;

/**
 * Walks well-formed XML once, without validating, at the speed of `indexOf`.
 *
 * @param xml Decoded text, without BOM.
 * @throws AppError `MARKUP_REFUSED` for a document type declaration, for depth and for tags over 1 MiB;
 *   `DOCUMENT_CORRUPT` for text that is not well formed.
 */
export function walkXml(xml: string, visitor: XmlVisitor, options: XmlWalkOptions): void {
  const names = createNameScope(options.namespaces);
  const openNames: string[] = [];
  let at = 0;
  while (at < xml.length) {
    const tagAt = xml.indexOf("<", at);
    if (tagAt === -1) break;
    if (tagAt > at && openNames.length > 0) visitor.text?.(decodeEntities(xml.slice(at, tagAt)));
    at = readMarkup(xml, tagAt, { visitor, names, openNames, maxDepth: options.maxDepth });
  }
  if (openNames.length > 0) throw corrupt(`<${openNames.at(-1)}> is never closed.`);
}

interface WalkState {
  readonly visitor: XmlVisitor;
  readonly names: NameScope;
  readonly openNames: string[];
  readonly maxDepth: number;
}

// Returns the position after the tag, comment, CDATA section or instruction that begins at `tagAt`.
function readMarkup(xml: string, tagAt: number, state: WalkState): number {
  switch (xml.charCodeAt(tagAt + 1)) {
    case 0x2f: // /
      return closeElement(xml, tagAt, state);
    case 0x21: // !
      return readDeclaration(xml, tagAt, state.visitor);
    case 0x3f: // ?
      return endOf(xml, "?>", tagAt);
    default:
      return openElement(xml, tagAt, state);
  }
}

function openElement(xml: string, tagAt: number, state: WalkState): number {
  const endAt = endOfTag(xml, tagAt);
  const isEmpty = xml.charCodeAt(endAt - 1) === 0x2f;
  const innerEnd = isEmpty ? endAt - 1 : endAt;
  const nameEnd = endOfName(xml, tagAt + 1, innerEnd);
  if (nameEnd === tagAt + 1) throw corrupt("There is a tag without a name.");
  const rawName = xml.slice(tagAt + 1, nameEnd);
  const attributes = new XmlAttributes(xml.slice(nameEnd, innerEnd), state.names);
  state.names.enter(attributes);
  const name = state.names.resolve(rawName);
  if (state.openNames.length >= state.maxDepth) {
    throw new AppError("MARKUP_REFUSED", { detail: `Its elements lie more than ${state.maxDepth} deep.` });
  }
  state.visitor.open?.(name, attributes);
  if (isEmpty) {
    state.visitor.close?.(name);
    state.names.leave();
  } else state.openNames.push(rawName);
  return endAt + 1;
}

function closeElement(xml: string, tagAt: number, { visitor, names, openNames }: WalkState): number {
  const endAt = xml.indexOf(">", tagAt);
  if (endAt === -1) throw corrupt("It ends in the middle of a tag.");
  const rawName = xml.slice(tagAt + 2, endOfName(xml, tagAt + 2, endAt));
  if (openNames.pop() !== rawName) throw corrupt(`</${rawName.slice(0, 80)}> closes an element that is not open.`);
  visitor.close?.(names.resolve(rawName));
  names.leave();
  return endAt + 1;
}

function readDeclaration(xml: string, tagAt: number, visitor: XmlVisitor): number {
  if (xml.startsWith("<!--", tagAt)) return endOf(xml, "-->", tagAt + 4);
  if (xml.startsWith("<![CDATA[", tagAt)) {
    const end = endOf(xml, "]]>", tagAt + 9);
    visitor.text?.(xml.slice(tagAt + 9, end - 3));
    return end;
  }
  throw new AppError("MARKUP_REFUSED", { detail: "It has a document type declaration." });
}

function endOf(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  if (at === -1) throw corrupt(`It ends before ${mark}.`);
  return at + mark.length;
}

// A quoted attribute value may hold ">", so quotes are skipped as a whole.
function endOfTag(xml: string, tagAt: number): number {
  let at = tagAt + 1;
  for (;;) {
    const endAt = xml.indexOf(">", at);
    if (endAt === -1) throw corrupt("It ends in the middle of a tag.");
    if (endAt - tagAt > maxTagLength) throw new AppError("MARKUP_REFUSED", { detail: "It has a tag over 1 MiB." });
    const quoteAt = firstQuote(xml, at, endAt);
    if (quoteAt === -1) return endAt;
    const closingAt = xml.indexOf(xml[quoteAt] as string, quoteAt + 1);
    if (closingAt === -1) throw corrupt("It ends inside the value of an attribute.");
    at = closingAt + 1;
  }
}

function firstQuote(xml: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = xml.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
  }
  return -1;
}

function endOfName(xml: string, from: number, to: number): number {
  let at = from;
  while (at < to && !isSpace(xml.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}

const attributePattern = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Attributes of one element; parsed when first asked for. */
export class XmlAttributes {
  readonly #raw: string;
  readonly #names: NameScope;
  #values: Map<string, string> | undefined;

  constructor(raw: string, names: NameScope) {
    this.#raw = raw;
    this.#names = names;
  }

  /** The value by the name that `namespaces` gives (`w:val`), entities resolved. */
  get(name: string): string | undefined {
    return this.#parsed().get(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#parsed().entries();
  }

  /** Whether the element declares namespaces; cheap. */
  get declaresNamespaces(): boolean {
    return this.#raw.includes("xmlns");
  }

  #parsed(): Map<string, string> {
    if (this.#values === undefined) {
      this.#values = new Map();
      for (const [, name, double, single] of this.#raw.matchAll(attributePattern)) {
        this.#values.set(this.#names.resolveAttribute(name as string), decodeEntities(double ?? single ?? ""));
      }
    }
    return this.#values;
  }
}

interface NameScope {
  enter(attributes: XmlAttributes): void;
  leave(): void;
  resolve(rawName: string): string;
  resolveAttribute(rawName: string): string;
}

function createNameScope(namespaces: Readonly<Record<string, string>> | undefined): NameScope {
  return namespaces === undefined ? rawNames : new MappedNames(namespaces);
}

const rawNames: NameScope = {
  enter: () => undefined,
  leave: () => undefined,
  resolve: (rawName) => rawName,
  resolveAttribute: (rawName) => rawName,
};

/** Gives names the prefixes that the reader expects, following the declarations in force. */
class MappedNames implements NameScope {
  readonly #wanted: ReadonlyMap<string, string>;
  // Prefix in the file → prefix wanted, one map for each element that declares any; undefined where none was declared.
  readonly #scopes: (ReadonlyMap<string, string> | undefined)[] = [];
  #current: ReadonlyMap<string, string> = new Map();
  #resolved = new Map<string, string>();

  constructor(namespaces: Readonly<Record<string, string>>) {
    this.#wanted = new Map(Object.entries(namespaces));
  }

  enter(attributes: XmlAttributes): void {
    if (!attributes.declaresNamespaces) {
      this.#scopes.push(undefined);
      return;
    }
    this.#scopes.push(this.#current);
    const next = new Map(this.#current);
    for (const [name, value] of attributes.entries()) {
      if (name === "xmlns") next.set("", this.#wanted.get(value) ?? "");
      else if (name.startsWith("xmlns:")) {
        const prefix = name.slice(6);
        next.set(prefix, this.#wanted.get(value) ?? prefix);
      }
    }
    this.#use(next);
  }

  leave(): void {
    const outer = this.#scopes.pop();
    if (outer !== undefined) this.#use(outer);
  }

  resolve(rawName: string): string {
    let name = this.#resolved.get(rawName);
    if (name === undefined) {
      name = this.#rename(rawName, this.#current.get("") ?? "");
      this.#resolved.set(rawName, name);
    }
    return name;
  }

  resolveAttribute(rawName: string): string {
    return rawName.includes(":") && !rawName.startsWith("xmlns") ? this.#rename(rawName, "") : rawName;
  }

  #rename(rawName: string, defaultPrefix: string): string {
    const colonAt = rawName.indexOf(":");
    const localName = rawName.slice(colonAt + 1);
    const filePrefix = colonAt === -1 ? "" : rawName.slice(0, colonAt);
    const prefix = colonAt === -1 ? defaultPrefix : (this.#current.get(filePrefix) ?? filePrefix);
    return prefix === "" ? localName : `${prefix}:${localName}`;
  }

  #use(scope: ReadonlyMap<string, string>): void {
    this.#current = scope;
    this.#resolved = new Map();
  }
}

function corrupt(detail: string): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its XML is not well formed: ${detail}` });
}
