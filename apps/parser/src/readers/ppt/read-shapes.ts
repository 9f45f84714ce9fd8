import { AppError } from "@attune/service-kit/app-error.ts";
import { artProperty, artText, readArtProperties } from "../../containers/office-art.ts";
import type { Block } from "../../document/document.ts";
import type { Placed } from "../reading-order.ts";
import { titleOf, toBlocks } from "../slide-lines.ts";
import { composeLines, type TextPlace } from "./compose-text.ts";
import type { Deck } from "./deck.ts";
import { findExtension, findPath, findRecord, numberAt, recordsIn, recordType } from "./records.ts";
import { findPlaceholder, isRunningPlaceholder, isTitlePlaceholder, placeholders } from "./placeholders.ts";
import { type Frame, frameInside, placeIn, wholeSlide } from "./shape-frames.ts";
import { toTable } from "./read-table.ts";
import { linkOf, readTextParts, type TextPart, textTypes } from "./text-parts.ts";

/** One shape that says something. */
export interface ReadShape extends Placed {
  readonly isTitle: boolean;
  readonly blocks: readonly Block[];
}

export interface ShapeWalk {
  readonly deck: Deck;
  readonly place: TextPlace;
  /** Texts that shapes refer to by their position; those that were are taken out. */
  readonly outline: Map<number, TextPart>;
  /** `master`: placeholders are only examples. `notes`: the picture of the slide is none. */
  readonly page: "slide" | "master" | "notes";
  readonly headersFooters: "drop" | "keep";
}

/** The shapes of a slide, a master or a page of notes in the order of the file, groups taken apart. */
export function readShapes(page: Buffer, walk: ShapeWalk): ReadShape[] {
  const drawing = findPath(page, recordType.drawing, recordType.artDrawing);
  if (drawing === undefined) return [];
  const shapes: ReadShape[] = [];
  for (const { type, body } of recordsIn(drawing)) {
    if (type !== recordType.artGroup) continue;
    for (const shape of readGroup(body, { walk, frame: wholeSlide, depth: 0 })) shapes.push(shape);
  }
  return shapes;
}

interface GroupPlace {
  readonly walk: ShapeWalk;
  readonly frame: Frame;
  readonly depth: number;
}

function readGroup(group: Buffer, { walk, frame, depth }: GroupPlace): ReadShape[] {
  const { budget } = walk.deck.context;
  if (depth > budget.limits.maxMarkupDepth)
    throw new AppError("DOCUMENT_CORRUPT", { detail: "Its groups nest without end." });
  const own = findRecord(group, recordType.artShape)?.body;
  const inner = own === undefined || depth === 0 ? frame : frameInside(own, frame);
  const shapes = readMembers(group, { walk, frame: inner, depth });
  const table = own !== undefined && isTable(own) ? toTable(shapes, budget) : undefined;
  if (table === undefined) return shapes.filter(({ blocks }) => blocks.length > 0);
  return [{ isTitle: false, blocks: [table], box: own && placeIn(frame, own) }];
}

function readMembers(group: Buffer, { walk, frame, depth }: GroupPlace): ReadShape[] {
  const shapes: ReadShape[] = [];
  // The first shape of a group stands for the group itself.
  let isOwn = true;
  for (const { type, body } of recordsIn(group)) {
    if (type === recordType.artGroup)
      for (const shape of readGroup(body, { walk, frame, depth: depth + 1 })) shapes.push(shape);
    if (type !== recordType.artShape) continue;
    const shape = isOwn ? undefined : readShape(body, walk, frame);
    isOwn = false;
    if (shape !== undefined) shapes.push(shape);
  }
  return shapes;
}

/** The property that says that a group is a table (PowerPoint 2000 and later). */
const tableFlags = 0x039f;

function isTable(shape: Buffer): boolean {
  return ((readArtProperties(shape).get(tableFlags)?.value ?? 0) & 1) !== 0;
}

/** Flags of a shape ([MS-ODRAW] 2.2.40). */
const shapeFlags = { deleted: 0x8, background: 0x400 } as const;
const lineShape = 20;

// Shapes that say nothing are kept here, for they may be cells of a table.
function readShape(shape: Buffer, walk: ShapeWalk, frame: Frame): ReadShape | undefined {
  const facts = findRecord(shape, recordType.artClientFacts)?.body;
  const placeholder = findPlaceholder(facts);
  if (isUnseen(shape) || isLeftOut(placeholder, walk)) return undefined;
  const parts = textsOf(shape, facts, walk);
  const place = placeOf(facts, walk);
  const lines = parts.flatMap((part) => composeLines(part, place));
  const mayBeTitle = walk.page === "slide" && lines.length > 0;
  const isTitle = mayBeTitle && (isTitlePlaceholder(placeholder) || parts.some(({ type }) => isTitleType(type)));
  const text = isTitle ? [titleOf(lines.map(({ inlines }) => inlines))] : toBlocks(lines);
  return { isTitle, blocks: [...text, ...readArt(shape, facts, walk)], box: placeIn(frame, shape) };
}

function isUnseen(shape: Buffer): boolean {
  const atom = findRecord(shape, recordType.artShapeAtom);
  const flags = numberAt(atom?.body, 4) ?? 0;
  return atom?.instance === lineShape || (flags & (shapeFlags.deleted | shapeFlags.background)) !== 0;
}

function isTitleType(type: number): boolean {
  return type === textTypes.title || type === textTypes.centredTitle;
}

function isLeftOut(placeholder: number, { page, headersFooters }: ShapeWalk): boolean {
  if (placeholder === placeholders.none) return false;
  if (page === "master") return true;
  return isRunningPlaceholder(placeholder) && headersFooters === "drop";
}

function textsOf(shape: Buffer, facts: Buffer | undefined, { outline }: ShapeWalk): TextPart[] {
  const box = findRecord(shape, recordType.artTextbox)?.body;
  if (box === undefined) return [];
  const reference = numberAt(findRecord(box, recordType.outlineReference)?.body, 0);
  const referred = reference === undefined ? undefined : outline.get(reference);
  if (reference !== undefined && referred !== undefined) {
    outline.delete(reference);
    return [referred];
  }
  const styles9 = findRecord(findExtension(facts, "___PPT9"), recordType.textStyles9)?.body;
  return readTextParts(recordsIn(box)).map((part) => ({ ...part, styles9 }));
}

function placeOf(facts: Buffer | undefined, { place, deck }: ShapeWalk): TextPlace {
  const interaction = findRecord(facts, recordType.interaction)?.body;
  const link = interaction === undefined ? undefined : deck.addressOf(linkOf(interaction));
  return link === undefined ? place : { ...place, link };
}

// Pictures, objects of other programs and letters drawn as art.
function readArt(shape: Buffer, facts: Buffer | undefined, { deck, page }: ShapeWalk): Block[] {
  const properties = readArtProperties(shape);
  const art = artText(properties, artProperty.wordArtText).replaceAll(/\s+/g, " ").trim();
  const blocks: Block[] = art === "" ? [] : [{ type: "paragraph", inlines: [art] }];
  const objectId = numberAt(findRecord(facts, recordType.externalReference)?.body, 0);
  const program = objectId === undefined ? undefined : deck.programOf(objectId);
  if (program !== undefined && page === "slide")
    deck.context.warn(`An embedded object (${program}) was left out; its picture, if any, stands for it.`);
  const picture = properties.get(artProperty.picture)?.value ?? 0;
  if (picture > 0 && page === "slide")
    blocks.push(deck.pictures.imageOf(picture, artText(properties, artProperty.description)));
  return blocks;
}
