import { altTextOf } from "../../containers/opc-alt-text.ts";
import { readOpcChart } from "../../containers/opc-chart.ts";
import { readOpcDiagram } from "../../containers/opc-diagram.ts";
import type { OpcElement } from "../../containers/opc-element.ts";
import type { Block, ImageContent } from "../../document/document.ts";
import type { Story } from "./word-reading.ts";

export interface ReadDrawing {
  /** Pictures that stand in the line. */
  readonly images: ImageContent[];
  /** Pictures anchored to the paragraph but placed apart from its text. */
  readonly floats: ImageContent[];
  readonly blocks: Block[];
}

/** The branch of markup compatibility to read (ECMA-376 part 3 §7): the first that asks only for what this reader knows. */
export function chosenBranch(alternate: OpcElement): OpcElement {
  const choices = alternate.elements("mc:Choice");
  const known = choices.find((choice) =>
    (choice.get("Requires") ?? "").split(/\s+/).every((prefix) => isKnown(prefix)),
  );
  return known ?? alternate.child("mc:Fallback") ?? choices[0] ?? alternate;
}

const knownPrefixes = /^(?:wps|wpg|wpc|wp14|w14|w15|a14|c14|p14|m|v2?|o|)$/;

function isKnown(prefix: string): boolean {
  return knownPrefixes.test(prefix);
}

/** Pictures, text boxes, charts and diagrams of a DrawingML drawing, in the order of the file. */
export function readDrawing(drawing: OpcElement, story: Story): ReadDrawing {
  const result: ReadDrawing = { images: [], floats: [], blocks: [] };
  const frames = drawing.elements().filter(({ name }) => name === "wp:inline" || name === "wp:anchor");
  for (const frame of frames) {
    const alt = altTextOf(frame.child("wp:docPr"));
    const isFloat = frame.name === "wp:anchor";
    walkDrawing(frame.child("a:graphic") ?? frame, { story, alt, result, isFloat });
  }
  return result;
}

interface DrawingWalk {
  readonly story: Story;
  /** Alternative text of the whole drawing, for pictures that have none of their own. */
  readonly alt: string;
  readonly isFloat?: boolean;
  readonly result: ReadDrawing;
}

function walkDrawing(element: OpcElement, walk: DrawingWalk): void {
  for (const child of element.elements()) {
    const read = drawingParts[child.name];
    if (read === undefined) walkDrawing(child, walk);
    else read(child, walk);
  }
}

type DrawingParts = Readonly<Record<string, (element: OpcElement, walk: DrawingWalk) => void>>;

const drawingParts: DrawingParts = {
  __proto__: null as never,
  "pic:pic": readPicture,
  "w:txbxContent": readTextBox,
  "a:txBody": readShapeText,
  "c:chart": (element, { story, result }) =>
    void result.blocks.push(...readRelated(element.get("r:id"), story, readOpcChart)),
  "dgm:relIds": (element, { story, result }) =>
    void result.blocks.push(...readRelated(element.get("r:dm"), story, readOpcDiagram)),
  "mc:AlternateContent": (element, walk) => walkDrawing(chosenBranch(element), walk),
};

function readTextBox(element: OpcElement, { story, result }: DrawingWalk): void {
  for (const block of story.readBlocks(element)) result.blocks.push(block);
}

// Shapes brought over from other programs, on a canvas of their own, hold the text of DrawingML.
function readShapeText(element: OpcElement, { result }: DrawingWalk): void {
  for (const paragraph of element.elements("a:p")) {
    const texts = paragraph.descendants("a:t").map(({ text }) => text);
    const text = texts.join("").trim();
    if (text !== "") result.blocks.push({ type: "paragraph", inlines: [text] });
  }
}

function readPicture(picture: OpcElement, { story, alt, isFloat, result }: DrawingWalk): void {
  const blip = picture.path("pic:blipFill", "a:blip");
  const own = altTextOf(picture.path("pic:nvPicPr", "pic:cNvPr"));
  const image = toImage(blip?.get("r:embed") ?? blip?.get("r:link"), alt === "" ? own : alt, story);
  if (image !== undefined) (isFloat === true ? result.floats : result.images).push(image);
}

function readRelated(id: string | undefined, story: Story, read: (root: OpcElement) => Block[]): Block[] {
  const relationship = story.relationships.byId(id);
  if (relationship === undefined || relationship.isExternal) return [];
  const root = story.reading.readTree(relationship.target);
  return root === undefined ? [] : read(root);
}

/** Pictures and text boxes of VML, and objects that other programs put into the file. */
export function readVml(element: OpcElement, story: Story): ReadDrawing {
  const result: ReadDrawing = { images: [], floats: [], blocks: [] };
  walkVml(element, { story, alt: "", result });
  return result;
}

function walkVml(element: OpcElement, walk: DrawingWalk): void {
  for (const child of element.elements()) {
    const read = vmlParts[child.name];
    if (read === undefined) walkVml(child, { ...walk, alt: child.get("alt") ?? walk.alt });
    else read(child, walk);
  }
}

const vmlParts: DrawingParts = {
  __proto__: null as never,
  "v:imagedata": readImageData,
  "w:txbxContent": readTextBox,
  "v:textpath": (element, { result }) => {
    const text = element.get("string")?.trim() ?? "";
    if (text !== "") result.blocks.push({ type: "paragraph", inlines: [text] });
  },
  "o:OLEObject": (element, { story }) => tellObject(element, story),
  "w:drawing": walkDrawing,
  "mc:AlternateContent": (element, walk) => walkVml(chosenBranch(element), walk),
};

function readImageData(element: OpcElement, { story, alt, result }: DrawingWalk): void {
  const id = element.get("r:id") ?? element.get("r:href");
  const image = toImage(id, alt === "" ? (element.get("o:title") ?? "") : alt, story);
  if (image !== undefined) result.images.push(image);
}

function tellObject(element: OpcElement, story: Story): void {
  const program =
    element
      .get("ProgID")
      ?.replaceAll(/[^\w. -]/g, "")
      .slice(0, 80) || "unknown program";
  story.reading.context.warn(`An embedded object (${program}) was left out; its picture, if any, stands for it.`);
}

function toImage(id: string | undefined, alt: string, story: Story): ImageContent | undefined {
  const relationship = story.relationships.byId(id);
  if (relationship === undefined) return alt === "" ? undefined : { alt };
  if (relationship.isExternal) {
    return /^https?:/i.test(relationship.target) ? { alt, reference: relationship.target } : { alt };
  }
  const reference = relationship.target.replace(/^word\//, "");
  const { opc, context } = story.reading;
  if (context.options.images !== "data_uri") return { alt, reference };
  const bytes = opc.read(relationship.target);
  const mediaType = opc.contentTypeOf(relationship.target);
  return bytes === undefined || mediaType?.startsWith("image/") !== true
    ? { alt, reference }
    : { alt, reference, data: { mediaType, bytes } };
}
