import type { OpcElement } from "../../containers/opc-element.ts";
import { runFormat, type TextSpan, toInlines } from "../../containers/opc-inlines.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import type { Box, Placed } from "../reading-order.ts";
import type { DrawingReading, MasterShapes } from "./drawing-reading.ts";

export interface ReadShape extends Placed {
  readonly blocks: readonly Block[];
}

interface ShapeWalk {
  readonly reading: DrawingReading;
  readonly partName: string;
}

interface Place {
  /** Where the origin of the enclosing group lies; upwards, in inches. */
  readonly left: number;
  readonly bottom: number;
  /** The master that the enclosing group is made after. */
  readonly master: MasterShapes | undefined;
}

/** The shapes of a page that say something, groups taken apart. */
export function readShapes(page: OpcElement, walk: ShapeWalk): ReadShape[] {
  return readMembers(page, walk, { left: 0, bottom: 0, master: undefined });
}

function readMembers(parent: OpcElement, walk: ShapeWalk, place: Place): ReadShape[] {
  const shapes: ReadShape[] = [];
  for (const element of parent.child("Shapes")?.elements("Shape") ?? [])
    for (const shape of readShape(element, walk, place)) shapes.push(shape);
  return shapes;
}

function readShape(shape: OpcElement, walk: ShapeWalk, place: Place): ReadShape[] {
  const masterId = shape.get("Master");
  const master = masterId === undefined ? place.master : walk.reading.masterOf(masterId);
  const model =
    masterId === undefined && shape.get("MasterShape") === undefined
      ? undefined
      : master?.find(shape.get("MasterShape"));
  const facts = new ShapeFacts(shape, model);
  const [left, bottom] = [
    place.left + facts.number("PinX") - facts.number("LocPinX"),
    place.bottom + facts.number("PinY") - facts.number("LocPinY"),
  ];
  const box: Box = {
    left,
    right: left + facts.number("Width"),
    top: -(bottom + facts.number("Height")),
    bottom: -bottom,
  };
  walk.reading.shapeDataCount += countData(shape);
  const isHidden = facts.number("HideText") !== 0;
  if (isHidden && shape.child("Text") !== undefined) walk.reading.hiddenTextCount++;
  const blocks = [...(isHidden ? [] : readText(facts)), ...readPicture(shape, walk)];
  const own = blocks.length === 0 ? [] : [{ blocks, box }];
  return [...own, ...readMembers(shape, walk, { left, bottom, master })];
}

/** What a shape says of itself, and else its master. */
class ShapeFacts {
  readonly #sources: readonly OpcElement[];

  constructor(shape: OpcElement, master: OpcElement | undefined) {
    this.#sources = master === undefined ? [shape] : [shape, master];
  }

  number(cell: string): number {
    for (const source of this.#sources) {
      const value = Number(cellOf(source, cell) ?? Number.NaN);
      if (Number.isFinite(value)) return value;
    }
    return 0;
  }

  get text(): OpcElement | undefined {
    for (const source of this.#sources) {
      const text = source.child("Text");
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Sum of `runFormat` of the row of characters with this number: 1 is bold, 2 is italic ([MS-VSDX] 2.2.7.4, `Style`). */
  formatOf(row: string): number {
    for (const source of this.#sources) {
      const style = cellOf(rowOf(source, "Character", row), "Style");
      if (style === undefined) continue;
      const flags = Number.parseInt(style, 10) || 0;
      return ((flags & 1) === 0 ? 0 : runFormat.bold) | ((flags & 2) === 0 ? 0 : runFormat.italic);
    }
    return 0;
  }

  get link(): string | undefined {
    for (const source of this.#sources) {
      const [row] = sectionOf(source, "Hyperlink")?.elements("Row") ?? [];
      const address = cellOf(row, "Address") ?? "";
      if (/^(?:https?|ftp|mailto):/i.test(address) && address.length <= maxAddress) return address;
    }
    return undefined;
  }
}

const maxAddress = 4_096;

function cellOf(parent: OpcElement | undefined, name: string): string | undefined {
  return parent
    ?.elements("Cell")
    .find((cell) => cell.get("N") === name)
    ?.get("V");
}

function sectionOf(shape: OpcElement, name: string): OpcElement | undefined {
  return shape.elements("Section").find((section) => section.get("N") === name);
}

function rowOf(shape: OpcElement, section: string, index: string): OpcElement | undefined {
  return sectionOf(shape, section)
    ?.elements("Row")
    .find((row) => row.get("IX") === index);
}

function countData(shape: OpcElement): number {
  return (sectionOf(shape, "Property")?.elements("Row") ?? []).filter((row) => (cellOf(row, "Value") ?? "") !== "")
    .length;
}

// Runs of characters begin with `cp`; lines end paragraphs, and U+2028 breaks them.
function readText(facts: ShapeFacts): Block[] {
  const { text, link } = facts;
  const paragraphs: TextSpan[][] = [[]];
  let format = facts.formatOf("0");
  const push = (content: string): void => {
    if (content !== "") paragraphs.at(-1)?.push({ content, format, ...(link !== undefined && { link }) });
  };
  const addText = (words: string): void => {
    for (const [index, line] of words.split(/\r\n?|\n|\u2029/).entries()) {
      if (index > 0) paragraphs.push([]);
      for (const [part, piece] of line.split(/\u2028/).entries()) {
        if (part > 0) paragraphs.at(-1)?.push({ content: { type: "lineBreak" }, format: 0 });
        push(piece.replaceAll("\t", " "));
      }
    }
  };
  for (const child of text?.children ?? []) {
    if (typeof child === "string") addText(child);
    else if (child.name === "cp") format = facts.formatOf(child.get("IX") ?? "0");
    else addText(child.text);
  }
  return paragraphs.flatMap((spans): Block[] => {
    const inlines = toInlines(spans);
    return inlines.length === 0 ? [] : [{ type: "paragraph", inlines }];
  });
}

function readPicture(shape: OpcElement, { reading, partName }: ShapeWalk): Block[] {
  const data = shape.child("ForeignData");
  if (data === undefined) return [];
  if (data.get("ForeignType") === "Object")
    reading.context.warn("Embedded objects were left out; their pictures, if any, stand for them.");
  const relationship = reading.opc.relationshipsOf(partName).byId(data.child("Rel")?.get("r:id"));
  if (relationship === undefined || relationship.isExternal) return [{ type: "image", alt: "" }];
  return [{ type: "image", alt: "", ...pictureOf(relationship.target, reading) }];
}

function pictureOf(partName: string, { opc, context }: DrawingReading): Partial<ImageContent> {
  const reference = partName.replace(/^visio\//, "");
  if (context.options.images !== "data_uri") return { reference };
  const bytes = opc.read(partName);
  const mediaType = opc.contentTypeOf(partName);
  const isImage = bytes !== undefined && mediaType?.startsWith("image/") === true;
  return isImage ? { reference, data: { mediaType, bytes } } : { reference };
}
