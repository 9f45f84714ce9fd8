/** One record of drawings of old Office files ([MS-ODRAW] 2.2.1). */
export interface ArtRecord {
  readonly type: number;
  readonly instance: number;
  /** What follows the header; cut where the enclosing record ends. */
  readonly body: Buffer;
  /** The byte after it, in the bytes that it was read from. */
  readonly end: number;
}

/** Record types ([MS-ODRAW] 2.2). */
export const artType = {
  drawingGroup: 0xf000,
  pictureStore: 0xf001,
  drawing: 0xf002,
  group: 0xf003,
  shape: 0xf004,
  picture: 0xf007,
  shapeAtom: 0xf00a,
  properties: 0xf00b,
  secondProperties: 0xf121,
  thirdProperties: 0xf122,
} as const;

const headerBytes = 8;

/** The record at `at`, or undefined where no header fits. */
export function artRecordAt(bytes: Buffer, at: number): ArtRecord | undefined {
  if (at < 0 || at + headerBytes > bytes.length) return undefined;
  const bodyAt = at + headerBytes;
  const end = Math.min(bytes.length, bodyAt + bytes.readUInt32LE(at + 4));
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: bytes.readUInt16LE(at) >> 4,
    body: bytes.subarray(bodyAt, end),
    end,
  };
}

/** The records inside another one, in order. */
export function* artRecordsIn(bytes: Buffer): Generator<ArtRecord, void, undefined> {
  for (let record = artRecordAt(bytes, 0); record !== undefined; record = artRecordAt(bytes, record.end)) yield record;
}

/** Properties of a shape that concern its text ([MS-ODRAW] 2.3). */
export const artProperty = { wordArtText: 0x00c0, picture: 0x0104, description: 0x0381 } as const;

export interface ArtProperty {
  readonly value: number;
  /** What a property has whose value does not fit into a number. */
  readonly complex?: Buffer;
}

const propertyTables: ReadonlySet<number> = new Set([
  artType.properties,
  artType.secondProperties,
  artType.thirdProperties,
]);
const entryBytes = 6;

/** The properties of a shape, from all of its tables ([MS-ODRAW] 2.2.9). */
export function readArtProperties(shape: Buffer): ReadonlyMap<number, ArtProperty> {
  const properties = new Map<number, ArtProperty>();
  for (const { type, instance, body } of artRecordsIn(shape)) {
    if (propertyTables.has(type)) addTable(body, instance, properties);
  }
  return properties;
}

// Entries of one size first, then what the complex ones among them have, in the same order.
function addTable(body: Buffer, count: number, properties: Map<number, ArtProperty>): void {
  let complexAt = count * entryBytes;
  for (let index = 0, at = 0; index < count && at + entryBytes <= body.length; index++, at += entryBytes) {
    const [id, value] = [body.readUInt16LE(at), body.readUInt32LE(at + 2)];
    const isComplex = (id & 0x8000) !== 0;
    const complex = isComplex ? { complex: body.subarray(complexAt, complexAt + value) } : {};
    properties.set(id & 0x3fff, { value, ...complex });
    if (isComplex) complexAt += value;
  }
}

/** The text of a property, without the zero at its end. */
export function artText(properties: ReadonlyMap<number, ArtProperty>, id: number): string {
  return properties.get(id)?.complex?.toString("utf16le").split("\0", 1)[0] ?? "";
}

interface ArtPicture {
  readonly extension: string;
  /** The picture itself, of the kinds that others can show. */
  readonly shown?: { readonly mediaType: string; readonly bytes: Buffer };
}

/** Kinds of pictures by the types of their records ([MS-ODRAW] 2.2.23). */
const pictureKinds: ReadonlyMap<number, { readonly extension: string; readonly mediaType?: string }> = new Map([
  [0xf01a, { extension: "emf" }],
  [0xf01b, { extension: "wmf" }],
  [0xf01c, { extension: "pict" }],
  [0xf01d, { extension: "jpg", mediaType: "image/jpeg" }],
  [0xf02a, { extension: "jpg", mediaType: "image/jpeg" }],
  [0xf01e, { extension: "png", mediaType: "image/png" }],
  [0xf01f, { extension: "bmp" }],
  [0xf029, { extension: "tif", mediaType: "image/tiff" }],
]);
/** A digest stands before the picture, two where the instance of the record is odd, and a byte of no meaning after them. */
const digestBytes = 16;

/** The picture in a record of a picture; undefined for other records. */
export function artPictureOf(record: ArtRecord | undefined): ArtPicture | undefined {
  const kind = record && pictureKinds.get(record.type);
  if (record === undefined || kind === undefined) return undefined;
  const { extension, mediaType } = kind;
  if (mediaType === undefined) return { extension };
  const digests = (record.instance & 1) === 1 ? 2 : 1;
  return { extension, shown: { mediaType, bytes: record.body.subarray(digests * digestBytes + 1) } };
}
