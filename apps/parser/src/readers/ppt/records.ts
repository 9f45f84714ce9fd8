import { type ArtRecord, artRecordAt, artRecordsIn } from "../../containers/office-art.ts";

/** A record of the stream of a presentation ([MS-PPT] 2.3.1) has the header of a record of its drawings, which lie among them. */
export type PptRecord = Pick<ArtRecord, "type" | "instance" | "body">;
export const recordAt: (bytes: Buffer, at: number) => PptRecord | undefined = artRecordAt;
export const recordsIn: (bytes: Buffer) => Iterable<PptRecord> = artRecordsIn;

export const headerBytes = 8;

/** Record types of [MS-PPT] 2.13.24 and of [MS-ODRAW] 2.2. */
export const recordType = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  environment: 0x03f2,
  slidePersist: 0x03f3,
  mainMaster: 0x03f8,
  slideShowInfo: 0x03f9,
  externalObjects: 0x0409,
  drawingGroup: 0x040b,
  drawing: 0x040c,
  headerFooterPlaceholder: 0x0420,
  list: 0x07d0,
  fonts: 0x07d5,
  placeholder: 0x0bc3,
  externalReference: 0x0bc1,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  textCharacters: 0x0fa0,
  textStyles: 0x0fa1,
  masterTextStyles: 0x0fa3,
  textBytes: 0x0fa8,
  textStyles9: 0x0fac,
  outlineStyles9: 0x0fae,
  outlineHeader9: 0x0faf,
  font: 0x0fb7,
  string: 0x0fba,
  externalObject: 0x0fc3,
  externalEmbedded: 0x0fcc,
  externalLinked: 0x0fce,
  externalControl: 0x0fee,
  externalLinkAtom: 0x0fd3,
  externalLink: 0x0fd7,
  slideNumber: 0x0fd8,
  headersFooters: 0x0fd9,
  headersFootersAtom: 0x0fda,
  textInteraction: 0x0fdf,
  slideList: 0x0ff0,
  interaction: 0x0ff2,
  interactionAtom: 0x0ff3,
  userEdit: 0x0ff5,
  dateTime: 0x0ff7,
  genericDate: 0x0ff8,
  header: 0x0ff9,
  footer: 0x0ffa,
  formattedDateTime: 0x1015,
  programTags: 0x1388,
  programBinaryTag: 0x138a,
  binaryTag: 0x138b,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  encryption: 0x2f14,
  artDrawingGroup: 0xf000,
  artPictures: 0xf001,
  artDrawing: 0xf002,
  artGroup: 0xf003,
  artShape: 0xf004,
  artGroupFrame: 0xf009,
  artPicture: 0xf007,
  artShapeAtom: 0xf00a,
  artProperties: 0xf00b,
  artTextbox: 0xf00d,
  artChildAnchor: 0xf00f,
  artClientAnchor: 0xf010,
  artClientFacts: 0xf011,
  artSecondProperties: 0xf121,
  artThirdProperties: 0xf122,
} as const;

export function findRecord(bytes: Buffer | undefined, type: number, instance?: number): PptRecord | undefined {
  if (bytes === undefined) return undefined;
  for (const record of recordsIn(bytes)) {
    if (record.type === type && (instance === undefined || record.instance === instance)) return record;
  }
  return undefined;
}

/** The body of the record that is found by its type inside another, and so on. */
export function findPath(bytes: Buffer | undefined, ...types: readonly number[]): Buffer | undefined {
  let body = bytes;
  for (const type of types) body = findRecord(body, type)?.body;
  return body;
}

/** The text of a `CString` of this instance ([MS-PPT] 2.2.4). */
export function findString(bytes: Buffer | undefined, instance: number): string | undefined {
  return findRecord(bytes, recordType.string, instance)?.body.toString("utf16le").replaceAll("\0", "");
}

/** The body of the extension that a program of a later version left beside these records ([MS-PPT] 2.2.36, `___PPT9`). */
export function findExtension(bytes: Buffer | undefined, name: string): Buffer | undefined {
  const tags = findRecord(bytes, recordType.programTags)?.body;
  if (tags === undefined) return undefined;
  for (const { type, body } of recordsIn(tags)) {
    if (type === recordType.programBinaryTag && findString(body, 0) === name)
      return findRecord(body, recordType.binaryTag)?.body;
  }
  return undefined;
}

/** A number of 32 bits, or undefined where the record is too short for it. */
export function numberAt(bytes: Buffer | undefined, at: number): number | undefined {
  return bytes !== undefined && at + 4 <= bytes.length ? bytes.readUInt32LE(at) : undefined;
}

/** A number of 16 bits, or undefined where the record is too short for it. */
export function shortAt(bytes: Buffer | undefined, at: number): number | undefined {
  return bytes !== undefined && at + 2 <= bytes.length ? bytes.readUInt16LE(at) : undefined;
}
