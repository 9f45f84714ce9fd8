import type { Block } from "../../document/document.ts";
import { inReadingOrder } from "../reading-order.ts";
import { notesQuote, toBlocks } from "../slide-lines.ts";
import { composeLines, type TextPlace } from "./compose-text.ts";
import { type Deck, outlineKey, type SlideEntry } from "./deck.ts";
import {
  findExtension,
  findRecord,
  findString,
  numberAt,
  type PptRecord,
  recordsIn,
  recordType,
  shortAt,
} from "./records.ts";
import { type ReadShape, readShapes, type ShapeWalk } from "./read-shapes.ts";
import { readTextParts, type TextPart } from "./text-parts.ts";

/** Fields of a `SlideAtom` ([MS-PPT] 2.5.10): after its layout, the numbers of its master and its notes, and flags. */
const slideAtomPlaces = { master: 12, notes: 16, flags: 20 } as const;
const showsMaster = 1;
const hiddenFlag = 4;

export interface NumberedSlide {
  readonly record: PptRecord;
  readonly entry: SlideEntry;
  /** From one. */
  readonly number: number;
}

/** A slide: its title, its other shapes in reading order, what its master repeats when asked for, and its notes. */
export function readSlide({ record: slide, entry, number }: NumberedSlide, deck: Deck): Block[] {
  const atom = findRecord(slide.body, recordType.slideAtom)?.body;
  const master = deck.openMaster(numberAt(atom, slideAtomPlaces.master) ?? 0);
  noteFacts(slide.body, deck, number);
  const place: TextPlace = {
    deck,
    master: styleMaster(master, deck)?.body,
    fields: fieldsOf(slide.body, deck, number),
  };
  const outline = outlineOf(entry, deck);
  const { headersFooters } = deck.context.options;
  const walk: ShapeWalk = { deck, place, outline, page: "slide", headersFooters };
  const shapes = readShapes(slide.body, walk);
  const content = [
    ...shapes.filter(({ isTitle }) => isTitle),
    ...inReadingOrder(shapes.filter(({ isTitle }) => !isTitle)),
  ].flatMap(({ blocks }) => blocks);
  const hasMaster = ((shortAt(atom, slideAtomPlaces.flags) ?? showsMaster) & showsMaster) !== 0;
  const running = hasMaster ? readRunningText(master, walk) : [];
  const notes = readNotes(deck.openNotes(numberAt(atom, slideAtomPlaces.notes) ?? 0), walk);
  return [...content, ...readLeftOver(outline, place), ...running, ...(notes.length === 0 ? [] : [notesQuote(notes)])];
}

/** The texts of the outline of a slide whose own records are lost. */
export function readOutline(entry: SlideEntry, deck: Deck): Block[] {
  return readLeftOver(outlineOf(entry, deck), { deck, master: undefined, fields: {} });
}

// No shape refers to them, so that where they would stand is not known.
function readLeftOver(outline: ReadonlyMap<number, TextPart>, place: TextPlace): Block[] {
  return [...outline.values()].flatMap((part) => toBlocks(composeLines(part, place)));
}

function outlineOf({ outline, slideId }: SlideEntry, deck: Deck): Map<number, TextPart> {
  return new Map(
    readTextParts(outline).map((part, index) => {
      const styles9 = deck.outlineStyles.get(outlineKey(slideId, part.type));
      return [index, { ...part, styles9 }];
    }),
  );
}

// The master of titles has the styles of the main one, to which it refers as slides do.
function styleMaster(master: PptRecord | undefined, deck: Deck): PptRecord | undefined {
  if (master?.type !== recordType.slide) return master;
  return deck.openMaster(numberAt(findRecord(master.body, recordType.slideAtom)?.body, slideAtomPlaces.master) ?? 0);
}

function noteFacts(slide: Buffer, deck: Deck, number: number): void {
  const show = findRecord(slide, recordType.slideShowInfo)?.body;
  if (((shortAt(show, 10) ?? 0) & hiddenFlag) !== 0) deck.hiddenSlides.push(number);
  const later = findExtension(slide, "___PPT10");
  for (const { type } of later === undefined ? [] : recordsIn(later))
    if (type === recordType.comment) deck.commentCount++;
}

// Which of the strings of a `HeadersFootersContainer` ([MS-PPT] 2.4.15.1) are shown stands in the flags of its atom.
const headerFooterFlags = { userDate: 4, header: 16, footer: 32 } as const;
const slideInstance = 3;

function fieldsOf(slide: Buffer, deck: Deck, number: number): TextPlace["fields"] {
  const container = (
    findRecord(slide, recordType.headersFooters) ??
    findRecord(deck.file.document, recordType.headersFooters, slideInstance)
  )?.body;
  const flags = shortAt(findRecord(container, recordType.headersFootersAtom)?.body, 2) ?? 0;
  const shown = (flag: number, instance: number): string | undefined =>
    (flags & flag) === 0 ? undefined : findString(container, instance);
  const [date, header, footer] = [
    shown(headerFooterFlags.userDate, 0),
    shown(headerFooterFlags.header, 1),
    shown(headerFooterFlags.footer, 2),
  ];
  return {
    slideNumber: String(number),
    ...(date !== undefined && { date }),
    ...(header !== undefined && { header }),
    ...(footer !== undefined && { footer }),
  };
}

// Masters repeat their text on every slide: it is given where the first of them is read, or told.
function readRunningText(master: PptRecord | undefined, walk: ShapeWalk): Block[] {
  const { deck, headersFooters, place } = walk;
  const footer = headersFooters === "keep" ? (place.fields.footer ?? "").trim() : "";
  const blocks: Block[] = footer === "" ? [] : [{ type: "paragraph", inlines: [footer] }];
  if (master === undefined || deck.readMasters.has(master)) return blocks;
  deck.readMasters.add(master);
  const shapes = readShapes(master.body, { ...walk, outline: new Map(), page: "master" }).filter(hasText);
  if (headersFooters === "keep") return [...blocks, ...shapes.flatMap((shape) => [...shape.blocks])];
  deck.masterShapeCount += shapes.length;
  return [];
}

function hasText({ blocks }: ReadShape): boolean {
  return blocks.some(({ type }) => type !== "image");
}

function readNotes(notes: PptRecord | undefined, walk: ShapeWalk): Block[] {
  if (notes?.type !== recordType.notes) return [];
  return readShapes(notes.body, { ...walk, outline: new Map(), page: "notes" }).flatMap(({ blocks }) => [...blocks]);
}
