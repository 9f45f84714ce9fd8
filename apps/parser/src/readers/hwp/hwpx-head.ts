import { runFormat } from "../../containers/opc-inlines.ts";
import { childElements, findDescendant, type XmlElement } from "../../xml/xml-tree.ts";
import { lookOfStyleName, type ParagraphLook, plainLook } from "./flow.ts";

/** What paragraphs and runs of the package refer to by ids. */
export interface HwpxHead {
  /** Sums of `runFormat`. */
  formatOf(characterId: string | undefined): number;
  lookOf(paragraphId: string | undefined, styleId: string | undefined): ParagraphLook;
}

export function readHead(root: XmlElement | undefined): HwpxHead {
  const listed = (list: string, item: string): XmlElement[] => {
    const found = root && findDescendant(root, list);
    return found === undefined ? [] : childElements(found, item);
  };
  const idOf = ({ attributes }: XmlElement): string => attributes.get("id") ?? "";
  const formats = new Map(listed("charProperties", "charPr").map((shape) => [idOf(shape), formatOf(shape)]));
  const looks = new Map(listed("paraProperties", "paraPr").map((shape) => [idOf(shape), lookOf(shape)]));
  const styles = new Map(listed("styles", "style").map((style) => [idOf(style), lookOfStyle(style)]));
  return {
    formatOf: (id) => formats.get(id ?? "") ?? 0,
    lookOf: (id, style) => styles.get(style ?? "") ?? looks.get(id ?? "") ?? plainLook,
  };
}

const formats: Readonly<Record<string, number>> = {
  __proto__: null as never,
  bold: runFormat.bold,
  italic: runFormat.italic,
  supscript: runFormat.superscript,
  subscript: runFormat.subscript,
};

function formatOf(shape: XmlElement): number {
  return childElements(shape).reduce((sum, { name }) => sum | (formats[name] ?? 0), 0);
}

const kinds: ReadonlyMap<string, ParagraphLook["kind"]> = new Map([
  ["OUTLINE", "heading"],
  ["NUMBER", "ordered"],
  ["BULLET", "bullet"],
]);

function lookOf(shape: XmlElement): ParagraphLook {
  const heading = findDescendant(shape, "heading")?.attributes;
  const kind = kinds.get(heading?.get("type") ?? "");
  if (kind === undefined) return plainLook;
  const level = Number.parseInt(heading?.get("level") ?? "0", 10);
  return { kind, level: level > 0 ? level : 0, numbering: heading?.get("idRef") ?? "" };
}

function lookOfStyle({ attributes }: XmlElement): ParagraphLook | undefined {
  return lookOfStyleName(attributes.get("name") ?? "") ?? lookOfStyleName(attributes.get("engName") ?? "");
}
