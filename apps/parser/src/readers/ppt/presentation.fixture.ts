import { recordType } from "./records.ts";

/** A record with its header ([MS-PPT] 2.3.1); a list of buffers makes a container. */
export function record(type: number, body: Buffer | readonly Buffer[], instance = 0): Buffer {
  const isContainer = !Buffer.isBuffer(body);
  const bytes = isContainer ? Buffer.concat(body) : body;
  const header = Buffer.alloc(8);
  header.writeUInt16LE((instance << 4) | (isContainer ? 15 : 0), 0);
  header.writeUInt16LE(type, 2);
  header.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

export function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}

export function shorts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, 2 * index);
  return bytes;
}

export function utf16(words: string): Buffer {
  return Buffer.from(words, "utf16le");
}

/** A text of a type, and what else its records have. */
export function text(type: number, words: string, ...more: readonly Buffer[]): Buffer {
  return Buffer.concat([
    record(recordType.textHeader, longs(type)),
    record(recordType.textCharacters, utf16(words)),
    ...more,
  ]);
}

export interface ShapeParts {
  readonly box?: readonly [left: number, top: number, right: number, bottom: number];
  readonly text?: Buffer;
  readonly facts?: readonly Buffer[];
  /** Properties whose values are texts. */
  readonly properties?: readonly (readonly [id: number, value: string])[];
  readonly isChild?: boolean;
  readonly flags?: number;
}

/** A shape of a drawing. */
export function shape({ box, text: words, facts, properties = [], isChild = false, flags = 0 }: ShapeParts): Buffer {
  const [left, top, right, bottom] = box ?? [0, 0, 0, 0];
  const anchor = isChild
    ? record(recordType.artChildAnchor, longs(left, top, right, bottom))
    : record(recordType.artClientAnchor, shorts(top, left, right, bottom));
  return record(recordType.artShape, [
    record(recordType.artShapeAtom, longs(1, flags), 1),
    record(recordType.artProperties, propertiesOf(properties), properties.length),
    ...(box === undefined ? [] : [anchor]),
    ...(facts === undefined ? [] : [record(recordType.artClientFacts, facts)]),
    ...(words === undefined ? [] : [record(recordType.artTextbox, [words])]),
  ]);
}

function propertiesOf(properties: NonNullable<ShapeParts["properties"]>): Buffer {
  const values = properties.map(([, value]) => utf16(`${value}\0`));
  const entries = properties.map(([id], index) =>
    Buffer.concat([shorts(id | 0x8000), longs(values[index]?.length ?? 0)]),
  );
  return Buffer.concat([...entries, ...values]);
}

/** A group of shapes; a table when it says so. */
export function group(shapes: readonly Buffer[], { isTable = false } = {}): Buffer {
  const own = record(recordType.artShape, [
    record(recordType.artGroupFrame, longs(0, 0, 1000, 1000)),
    record(recordType.artShapeAtom, longs(1, 1)),
    record(recordType.artThirdProperties, Buffer.concat([shorts(0x039f), longs(isTable ? 1 : 0)]), 1),
    record(recordType.artClientAnchor, shorts(0, 0, 1000, 1000)),
  ]);
  return record(recordType.artGroup, [own, ...shapes]);
}

export function drawing(shapes: readonly Buffer[]): Buffer {
  const page = record(recordType.artShape, [record(recordType.artShapeAtom, longs(1, 5))]);
  return record(recordType.drawing, [record(recordType.artDrawing, [record(recordType.artGroup, [page, ...shapes])])]);
}

export interface SlideParts {
  readonly shapes: readonly Buffer[];
  readonly outline?: readonly Buffer[];
  readonly isHidden?: boolean;
  readonly more?: readonly Buffer[];
  readonly notes?: readonly Buffer[];
}

export interface PresentationParts {
  readonly slides: readonly SlideParts[];
  /** Records of the main master beside its drawing. */
  readonly master?: readonly Buffer[];
  /** Records of the document beside its lists. */
  readonly document?: readonly Buffer[];
}

const masterId = 0x8000_0000;

/** Streams of a compound file. */
export type Streams = readonly (readonly [name: string, bytes: Buffer])[];

/** A presentation of PowerPoint 97 with one edit. */
export function makePresentation({ slides, master = [], document = [] }: PresentationParts): Streams {
  const pages = slides.map((slide, index) => slideOf(slide, index));
  const notes = slides.map(({ notes: shapes }) => record(recordType.notes, [drawing(shapes ?? [])]));
  const objects = [record(recordType.mainMaster, master), ...pages, ...notes];
  const list = (instance: number, entries: readonly Buffer[]): Buffer =>
    record(recordType.slideList, entries, instance);
  const entry = (persistId: number, slideId: number): Buffer =>
    record(recordType.slidePersist, longs(persistId, 0, 0, slideId, 0));
  const slideEntries = slides.flatMap(({ outline = [] }, index) => [entry(3 + index, 256 + index), ...outline]);
  const noteEntries = slides.map((_, index) => entry(3 + slides.length + index, 512 + index));
  const head = record(recordType.document, [
    ...document,
    list(1, [entry(2, masterId)]),
    list(0, slideEntries),
    list(2, noteEntries),
  ]);
  return packStream([head, ...objects]);
}

/** Puts objects, the document first, into the streams of a presentation. */
export function packStream(objects: readonly Buffer[]): Streams {
  const offsets: number[] = [];
  let at = 0;
  for (const object of objects) {
    offsets.push(at);
    at += object.length;
  }
  const directory = record(recordType.persistDirectory, longs((objects.length << 20) | 1, ...offsets));
  const edit = record(recordType.userEdit, longs(0, 0, 0, at, 1, 0, 0));
  return packPresentation(Buffer.concat([...objects, directory, edit]), at + directory.length);
}

export function packPresentation(stream: Buffer, editAt: number): Streams {
  return [
    ["PowerPoint Document", atLeast4096(stream)],
    ["Current User", atLeast4096(record(0x0ff6, longs(20, 0xe391c05f, editAt, 0, 0)))],
  ];
}

function atLeast4096(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, 4096 - bytes.length))]);
}

function slideOf({ shapes, isHidden = false, more = [], notes }: SlideParts, index: number): Buffer {
  const atom = Buffer.concat([Buffer.alloc(12), longs(masterId, notes === undefined ? 0 : 512 + index), shorts(7, 0)]);
  const show = Buffer.alloc(16);
  show.writeUInt16LE(isHidden ? 4 : 0, 10);
  return record(recordType.slide, [
    record(recordType.slideAtom, atom),
    record(recordType.slideShowInfo, show),
    ...more,
    drawing(shapes),
  ]);
}
