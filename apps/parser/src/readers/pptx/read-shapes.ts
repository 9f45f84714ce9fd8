import { altTextOf } from "../../containers/opc-alt-text.ts";
import { readOpcChart } from "../../containers/opc-chart.ts";
import { readOpcDiagram } from "../../containers/opc-diagram.ts";
import type { OpcElement } from "../../containers/opc-element.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import type { Placed } from "../reading-order.ts";
import { titleOf, toBlocks } from "../slide-lines.ts";
import { readTable } from "./read-table.ts";
import { readLines } from "./read-text.ts";
import { type Frame, frameOf, placeIn, wholeSlide } from "./shape-frames.ts";
import {
  familyOf,
  inheritedShapes,
  type Placeholder,
  placeholderOf,
  type PresentationReading,
  type SlidePart,
} from "./slide-reading.ts";
import { TextStyles } from "./text-styles.ts";

/** One shape that says something. */
export interface ReadShape extends Placed {
  readonly isTitle: boolean;
  readonly blocks: readonly Block[];
}

export interface ShapeWalk {
  readonly slide: SlidePart;
  readonly reading: PresentationReading;
  /** Set where a layout or master is read for itself: its placeholders are only examples. */
  readonly isMaster?: boolean;
}

/** The shapes of a slide in the order of the file, groups taken apart. */
export function readShapes(walk: ShapeWalk): ReadShape[] {
  const tree = walk.slide.root.path("p:cSld", "p:spTree");
  return tree === undefined ? [] : readGroup(tree, walk, wholeSlide);
}

function readGroup(group: OpcElement, walk: ShapeWalk, frame: Frame): ReadShape[] {
  return group.elements().flatMap((element) => readElement(element, walk, frame));
}

function readElement(element: OpcElement, walk: ShapeWalk, frame: Frame): ReadShape[] {
  switch (element.name) {
    case "p:sp":
      return readTextShape(element, walk, frame);
    case "p:pic":
      return place(element, frame, readPicture(element, walk));
    case "p:graphicFrame":
      return place(element, frame, readGraphic(element, walk));
    case "p:grpSp":
      return readGroup(element, walk, frameOf(element, frame));
    case "mc:AlternateContent":
      return readGroup(element.child("mc:Choice") ?? element.child("mc:Fallback") ?? element, walk, frame);
    case "p:nvGrpSpPr":
    case "p:grpSpPr":
    case "p:extLst":
      return [];
    default:
      // Shapes of a kind that is not known may have text, or hold others that have.
      return element.child("p:txBody") === undefined
        ? readGroup(element, walk, frame)
        : readTextShape(element, walk, frame);
  }
}

function place(element: OpcElement, frame: Frame, blocks: readonly Block[]): ReadShape[] {
  if (blocks.length === 0) return [];
  return [{ isTitle: false, blocks, box: placeIn(frame, [element]) }];
}

function readTextShape(shape: OpcElement, walk: ShapeWalk, frame: Frame): ReadShape[] {
  const placeholder = placeholderOf(shape);
  if (placeholder !== undefined && walk.isMaster === true) return [];
  if (placeholder !== undefined && isRunning(placeholder) && walk.reading.context.options.headersFooters === "drop")
    return [];
  const body = shape.child("p:txBody");
  const styles = new TextStyles(body, placeholder, walk.slide);
  const lines = readLines(body, { relationships: walk.slide.relationships, styles, reading: walk.reading });
  if (lines.length === 0) return [];
  const inherited = placeholder === undefined ? [] : inheritedShapes(placeholder, walk.slide);
  const box = placeIn(frame, [shape, ...inherited]);
  const isTitle = placeholder !== undefined && familyOf(placeholder.type) === "title";
  const blocks = isTitle ? [titleOf(lines.map(({ inlines }) => inlines))] : toBlocks(lines);
  return [{ isTitle, blocks, box }];
}

// Dates, footers and numbers that the master repeats on every slide.
function isRunning({ type }: Placeholder): boolean {
  return type === "dt" || type === "ftr" || type === "sldNum" || type === "hdr";
}

function readPicture(picture: OpcElement, { slide, reading }: ShapeWalk): Block[] {
  const properties = picture.path("p:nvPicPr", "p:cNvPr");
  const alt = altTextOf(properties);
  const blip = picture.path("p:blipFill", "a:blip");
  const relationship = slide.relationships.byId(blip?.get("r:embed") ?? blip?.get("r:link"));
  if (relationship === undefined) return alt === "" ? [] : [{ type: "image", alt }];
  if (relationship.isExternal) {
    return [{ type: "image", alt, ...(/^https?:/i.test(relationship.target) && { reference: relationship.target }) }];
  }
  return [{ type: "image", alt, ...embedded(relationship.target, reading) }];
}

function embedded(partName: string, { opc, context }: PresentationReading): Partial<ImageContent> {
  const reference = partName.replace(/^ppt\//, "");
  if (context.options.images !== "data_uri") return { reference };
  const bytes = opc.read(partName);
  const mediaType = opc.contentTypeOf(partName);
  const isImage = bytes !== undefined && mediaType?.startsWith("image/") === true;
  return isImage ? { reference, data: { mediaType, bytes } } : { reference };
}

function readGraphic(frame: OpcElement, walk: ShapeWalk): Block[] {
  const graphic = frame.path("a:graphic", "a:graphicData");
  const table = graphic?.child("a:tbl");
  if (table !== undefined) return readTable(table, walk);
  const chart = graphic?.child("c:chart")?.get("r:id");
  if (chart !== undefined) return readRelated(chart, walk, readOpcChart);
  const diagram = graphic?.child("dgm:relIds")?.get("r:dm");
  if (diagram !== undefined) return readRelated(diagram, walk, readOpcDiagram);
  return graphic === undefined ? [] : readObject(graphic, walk);
}

function readRelated(id: string, { slide, reading }: ShapeWalk, read: (root: OpcElement) => Block[]): Block[] {
  const relationship = slide.relationships.byId(id);
  if (relationship === undefined || relationship.isExternal) return [];
  const root = reading.readTree(relationship.target);
  return root === undefined ? [] : read(root);
}

// An object of another program is told; the picture that stands for it is kept.
function readObject(graphic: OpcElement, walk: ShapeWalk): Block[] {
  const object = graphic.descendant("p:oleObj");
  if (object === undefined) {
    walk.reading.context.warn("A graphic of a kind that is not known, such as a chart of a newer kind, was left out.");
    return [];
  }
  const program =
    object
      .get("progId")
      ?.replaceAll(/[^\w. -]/g, "")
      .slice(0, 80) || "unknown program";
  walk.reading.context.warn(`An embedded object (${program}) was left out; its picture, if any, stands for it.`);
  const picture = graphic.descendant("p:pic");
  return picture === undefined ? [] : readPicture(picture, walk);
}

/** What the layout and the master of a slide say of their own on it, such as the name of a firm; pictures aside. */
export function readMasterShapes({ slide, reading }: ShapeWalk): ReadShape[] {
  const shapes: ReadShape[] = [];
  let part: SlidePart | undefined = slide;
  while (part?.parent !== undefined && !/^(?:0|false)$/.test(part.root.get("showMasterSp") ?? "1")) {
    part = part.parent;
    if (reading.readMasters.has(part)) continue;
    reading.readMasters.add(part);
    shapes.push(...readShapes({ slide: part, reading, isMaster: true }));
  }
  return shapes.filter(({ blocks }) => blocks.some(({ type }) => type !== "image"));
}

/** The notes of the speaker on a slide, without the slide's picture and number beside them. */
export function readNotes({ slide, reading }: ShapeWalk): Block[] {
  const partName = slide.relationships.partOfKind("notesSlide");
  const root = partName === undefined ? undefined : reading.readTree(partName);
  if (partName === undefined || root === undefined) return [];
  const notes: SlidePart = { partName, root, relationships: reading.opc.relationshipsOf(partName), parent: undefined };
  const bodies = (root.path("p:cSld", "p:spTree")?.elements("p:sp") ?? []).filter(
    (shape) => placeholderOf(shape)?.type === "body",
  );
  return bodies.flatMap((shape) => {
    const body = shape.child("p:txBody");
    const styles = new TextStyles(body, undefined, notes);
    return toBlocks(readLines(body, { relationships: notes.relationships, styles, reading }));
  });
}
