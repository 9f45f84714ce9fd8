import { AppError } from "@attune/service-kit/app-error.ts";
import { decodeEntities } from "./entities.ts";
import { createNameScope, type NameScope } from "./name-scope.ts";
import { isQuote, isXmlSpace } from "./scan-attributes.ts";
import { XmlAttributes } from "./xml-attributes.ts";

export type { XmlAttributes } from "./xml-attributes.ts";

/** What a walk over an XML text reports, in document order. Names are raw (`w:p`) unless `namespaces` maps them. */
export interface XmlVisitor {
  open?(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  /** Character data inside the root with entities resolved and lines ending in `\n`; CDATA too. May come in several pieces. */
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
 * Walks well-formed XML once, without validating, at the speed of `indexOf`; linear in the text whatever it holds.
 *
 * @param xml Decoded text, without BOM.
 * @throws AppError `MARKUP_REFUSED` for a document type declaration, for depth and for tags over 1 MiB;
 *   `DOCUMENT_CORRUPT` for text that is not well formed.
 */
export function walkXml(xml: string, visitor: XmlVisitor, options: XmlWalkOptions): void {
  const openElements: OpenElement[] = [];
  const state = { visitor, openElements, maxDepth: options.maxDepth, names: createNameScope(options.namespaces) };
  let at = 0;
  while (at < xml.length) {
    const tagAt = xml.indexOf("<", at);
    if (tagAt === -1) break;
    if (tagAt > at && openElements.length > 0) visitor.text?.(decodeEntities(withLineFeeds(xml.slice(at, tagAt))));
    at = readMarkup(xml, tagAt, state);
  }
  if (openElements.length > 0) throw corrupt("An element is never closed", xml.length);
}

interface OpenElement {
  readonly rawName: string;
  readonly name: string;
  /** What is in force around the element. */
  readonly outerNames: NameScope;
}

interface WalkState {
  readonly visitor: XmlVisitor;
  readonly openElements: OpenElement[];
  readonly maxDepth: number;
  names: NameScope;
}

// Returns the position after the tag, comment, CDATA section or instruction that begins at `tagAt`.
function readMarkup(xml: string, tagAt: number, state: WalkState): number {
  switch (xml.charCodeAt(tagAt + 1)) {
    case 0x2f: // /
      return closeElement(xml, tagAt, state);
    case 0x21: // !
      return readDeclaration(xml, tagAt, state);
    case 0x3f: // ?
      return endOf(xml, "?>", tagAt + 2);
    default:
      return openElement(xml, tagAt, state);
  }
}

function openElement(xml: string, tagAt: number, state: WalkState): number {
  const endAt = endOfTag(xml, tagAt);
  const isEmpty = xml.charCodeAt(endAt - 1) === 0x2f;
  const innerEnd = isEmpty ? endAt - 1 : endAt;
  const nameEnd = endOfName(xml, tagAt + 1, innerEnd);
  if (nameEnd === tagAt + 1) throw corrupt("There is a tag without a name", tagAt);
  if (state.openElements.length >= state.maxDepth) {
    throw new AppError("MARKUP_REFUSED", { detail: `Its elements lie more than ${state.maxDepth} deep.` });
  }
  const rawName = xml.slice(tagAt + 1, nameEnd);
  const rawAttributes = xml.slice(nameEnd, innerEnd);
  const { names: outerNames, visitor } = state;
  const names = outerNames.enter(rawAttributes);
  const name = names.resolve(rawName);
  visitor.open?.(name, new XmlAttributes(rawAttributes, names));
  if (isEmpty) visitor.close?.(name);
  else {
    state.openElements.push({ rawName, name, outerNames });
    state.names = names;
  }
  return endAt + 1;
}

function closeElement(xml: string, tagAt: number, state: WalkState): number {
  const endAt = xml.indexOf(">", tagAt);
  if (endAt === -1) throw corrupt("It ends in the middle of a tag", tagAt);
  const element = state.openElements.pop();
  if (element === undefined || !isEndTagOf(xml, { tagAt, endAt }, element.rawName)) {
    throw corrupt("An end tag does not belong to the element that is open", tagAt);
  }
  state.names = element.outerNames;
  state.visitor.close?.(element.name);
  return endAt + 1;
}

function isEndTagOf(xml: string, { tagAt, endAt }: { tagAt: number; endAt: number }, rawName: string): boolean {
  const nameEnd = tagAt + 2 + rawName.length;
  return xml.startsWith(rawName, tagAt + 2) && (nameEnd === endAt || isXmlSpace(xml.charCodeAt(nameEnd)));
}

function readDeclaration(xml: string, tagAt: number, { visitor, openElements }: WalkState): number {
  if (xml.startsWith("<!--", tagAt)) return endOf(xml, "-->", tagAt + 4);
  if (xml.startsWith("<![CDATA[", tagAt)) {
    const end = endOf(xml, "]]>", tagAt + 9);
    if (openElements.length > 0) visitor.text?.(withLineFeeds(xml.slice(tagAt + 9, end - 3)));
    return end;
  }
  throw new AppError("MARKUP_REFUSED", { detail: "It has a document type declaration." });
}

// XML 1.0, 2.11.
function withLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function endOf(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  if (at === -1) throw corrupt(`It ends before ${mark}`, from);
  return at + mark.length;
}

// A quoted attribute value may hold ">", so quotes are skipped as a whole.
function endOfTag(xml: string, tagAt: number): number {
  let endAt = tagAt;
  let at = tagAt + 1;
  for (;;) {
    if (endAt < at) endAt = xml.indexOf(">", at);
    if (endAt === -1) throw corrupt("It ends in the middle of a tag", tagAt);
    if (endAt - tagAt > maxTagLength) throw new AppError("MARKUP_REFUSED", { detail: "It has a tag over 1 MiB." });
    const quoteAt = firstQuote(xml, at, endAt);
    if (quoteAt === -1) return endAt;
    const closingAt = xml.indexOf(xml[quoteAt] as string, quoteAt + 1);
    if (closingAt === -1) throw corrupt("It ends inside the value of an attribute", quoteAt);
    at = closingAt + 1;
  }
}

function firstQuote(xml: string, from: number, to: number): number {
  for (let at = from; at < to; at++) if (isQuote(xml.charCodeAt(at))) return at;
  return -1;
}

function endOfName(xml: string, from: number, to: number): number {
  let at = from;
  while (at < to && !isXmlSpace(xml.charCodeAt(at))) at++;
  return at;
}

function corrupt(what: string, at: number): AppError {
  return new AppError("DOCUMENT_CORRUPT", {
    detail: `Its XML is not well formed: ${what} (near character ${at + 1}).`,
  });
}
