import type { Inline } from "../../document/document.ts";
import type { CellValue } from "../../spreadsheet/sheet.ts";
import { decodeEntities } from "../../xml/entities.ts";
import { walkXml, type XmlAttributes, type XmlVisitor } from "../../xml/walk-xml.ts";

const plainPattern = /^\s*<t(?: [^<>]*)?>([^<]*)<\/t>\s*$/;
const openTag = "<t>";
const closeTag = "</t>";

/** The text of the inside of an `si` or `is` element: runs joined, phonetic hints dropped, raised and lowered runs kept. */
export function parseStringItem(inner: string, maxDepth: number): CellValue {
  const closeAt = inner.length - closeTag.length;
  if (inner.startsWith(openTag) && inner.indexOf("<", openTag.length) === closeAt && inner.endsWith(closeTag))
    return decodeString(inner.slice(openTag.length, closeAt));
  const plain = plainPattern.exec(inner);
  if (plain !== null) return decodeString(plain[1] as string);
  const builder = new StringItemBuilder();
  walkXml(`<si>${inner}</si>`, builder, { maxDepth });
  return builder.finish();
}

/** Builds the value of one string item from its elements, whatever prefix they carry. */
export class StringItemBuilder implements XmlVisitor {
  #inlines: Inline[] = [];
  #isText = false;
  #phoneticDepth = 0;
  #position: "superscript" | "subscript" | undefined;

  open(name: string, attributes: XmlAttributes): void {
    const local = name.slice(name.indexOf(":") + 1);
    if (local === "rPh") this.#phoneticDepth++;
    else if (local === "r") this.#position = undefined;
    else if (local === "vertAlign") this.#position = toPosition(attributes.get("val"));
    this.#isText = local === "t" && this.#phoneticDepth === 0;
  }

  close(name: string): void {
    const local = name.slice(name.indexOf(":") + 1);
    if (local === "rPh") this.#phoneticDepth--;
    this.#isText = false;
  }

  text(text: string): void {
    if (!this.#isText || text === "") return;
    const last = this.#inlines.at(-1);
    if (this.#position !== undefined) this.#inlines.push({ type: this.#position, inlines: [unescapeText(text)] });
    else if (typeof last === "string") this.#inlines[this.#inlines.length - 1] = last + unescapeText(text);
    else this.#inlines.push(unescapeText(text));
  }

  finish(): CellValue {
    const inlines = this.#inlines;
    this.#inlines = [];
    this.#position = undefined;
    if (inlines.length === 0) return "";
    return inlines.length === 1 && typeof inlines[0] === "string" ? inlines[0] : inlines;
  }
}

function toPosition(value: string | undefined): "superscript" | "subscript" | undefined {
  return value === "superscript" || value === "subscript" ? value : undefined;
}

/** Resolves entities and escapes of a string; the named entities without a regular expression, which are nearly all. */
export function decodeString(raw: string): string {
  if (!raw.includes("&")) return unescapeText(raw);
  if (raw.includes("&#")) return unescapeText(decodeEntities(raw));
  const text = raw
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
  return unescapeText(text);
}

/** Resolves `_x000D_` and the like, by which strings carry characters that XML cannot (ECMA-376 part 1, 22.9.2.19). */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
