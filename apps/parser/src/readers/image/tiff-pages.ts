/** One page of a TIFF file (TIFF 6.0; BigTIFF as libtiff describes it), by the tags of its directory. */
export interface TiffPage {
  /** Where its directory lies in the file. */
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly compression: number;
  readonly photometric: number;
  /** 1 to 8 as in Exif; 1 is upright. */
  readonly orientation: number;
  readonly strips: readonly TiffStrip[];
  /** Of each strip or tile, in pixels. */
  readonly stripWidth: number;
  readonly stripHeight: number;
  /** Tables that all strips share, JPEG only. */
  readonly jpegTables: Uint8Array | undefined;
  /** Dots per inch; undefined where the file does not tell. */
  readonly dpi: number | undefined;
}

export interface TiffStrip {
  readonly offset: number;
  readonly sizeBytes: number;
}

const tag = {
  width: 256,
  height: 257,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripSizes: 279,
  resolution: 282,
  resolutionUnit: 296,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileSizes: 325,
  jpegTables: 347,
};
/** Bytes of a value by its type, TIFF 6.0 section 2; the three last are of BigTIFF. */
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
/** No honest directory has more entries. */
const maxEntries = 4096;
const maxValues = 1 << 20;
const centimetresPerInch = 2.54;

/** The file as numbers, whose offsets are checked before they are read. */
export class TiffFile {
  readonly isBig: boolean;
  readonly #view: DataView;
  readonly #isLittle: boolean;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#isLittle = bytes[0] === 0x49;
    this.isBig = this.#number(2, 2) === 43;
  }

  /** Where the header says that the first directory lies: as many bytes hold the offset. */
  get link(): { readonly at: number; readonly sizeBytes: number } {
    return this.isBig ? { at: 8, sizeBytes: 8 } : { at: 4, sizeBytes: 4 };
  }

  /** Writes an offset in the byte order of the file, into `target` at its beginning. */
  encodeOffset(offset: number, target: Uint8Array): void {
    const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
    if (this.isBig) view.setBigUint64(0, BigInt(offset), this.#isLittle);
    else view.setUint32(0, offset, this.#isLittle);
  }

  /** Offsets of the directories, each once, up to `maxPages` of them. */
  listDirectories(maxPages: number): readonly number[] {
    const offsets = new Set<number>();
    let next = this.#number(this.link.at, this.link.sizeBytes);
    while (next > 0 && offsets.size < maxPages && !offsets.has(next)) {
      const count = this.#countEntries(next);
      if (count === undefined) break;
      offsets.add(next);
      next = this.#number(next + this.#countBytes + count * this.#entryBytes, this.link.sizeBytes);
    }
    return [...offsets];
  }

  readPage(offset: number): TiffPage {
    const width = this.#first(offset, tag.width) ?? 0;
    const height = this.#first(offset, tag.height) ?? 0;
    const isTiled = this.#first(offset, tag.tileWidth) !== undefined;
    const rows = this.#first(offset, isTiled ? tag.tileHeight : tag.rowsPerStrip) ?? height;
    return {
      offset,
      width,
      height,
      samples: this.#first(offset, tag.samples) ?? 1,
      compression: this.#first(offset, tag.compression) ?? 1,
      photometric: this.#first(offset, tag.photometric) ?? 0,
      orientation: this.#first(offset, tag.orientation) ?? 1,
      strips: this.#strips(offset, isTiled),
      stripWidth: isTiled ? (this.#first(offset, tag.tileWidth) ?? width) : width,
      stripHeight: Math.min(rows, isTiled ? rows : height),
      jpegTables: this.#bytesOf(offset, tag.jpegTables),
      dpi: this.#dpiOf(offset),
    };
  }

  #strips(directory: number, isTiled: boolean): TiffStrip[] {
    const offsets = this.#values(directory, isTiled ? tag.tileOffsets : tag.stripOffsets);
    const sizes = this.#values(directory, isTiled ? tag.tileSizes : tag.stripSizes);
    return offsets.flatMap((offset, index) => {
      const sizeBytes = sizes[index] ?? 0;
      return offset + sizeBytes <= this.#view.byteLength ? [{ offset, sizeBytes }] : [];
    });
  }

  #dpiOf(directory: number): number | undefined {
    const dots = this.#first(directory, tag.resolution);
    const unit = this.#first(directory, tag.resolutionUnit) ?? 2;
    if (dots === undefined || dots <= 0 || unit === 1) return undefined;
    return unit === 3 ? dots * centimetresPerInch : dots;
  }

  #bytesOf(directory: number, wanted: number): Uint8Array | undefined {
    const entry = this.#find(directory, wanted);
    if (entry === undefined) return undefined;
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + entry.at, entry.count * entry.size);
  }

  #first(directory: number, wanted: number): number | undefined {
    const entry = this.#find(directory, wanted);
    return entry === undefined || entry.count === 0 ? undefined : this.#value(entry, 0);
  }

  #values(directory: number, wanted: number): number[] {
    const entry = this.#find(directory, wanted);
    if (entry === undefined) return [];
    return Array.from({ length: Math.min(entry.count, maxValues) }, (_, index) => this.#value(entry, index));
  }

  #value({ at, size, type }: TiffEntry, index: number): number {
    const place = at + index * size;
    // A fraction is two numbers.
    if (type === 5) return this.#number(place, 4) / Math.max(1, this.#number(place + 4, 4));
    return this.#number(place, size);
  }

  #find(directory: number, wanted: number): TiffEntry | undefined {
    const count = this.#countEntries(directory) ?? 0;
    for (let index = 0; index < count; index++) {
      const at = directory + this.#countBytes + index * this.#entryBytes;
      if (this.#number(at, 2) === wanted) return this.#entryAt(at);
    }
    return undefined;
  }

  // A value that fits stands in the entry itself.
  #entryAt(at: number): TiffEntry | undefined {
    const type = this.#number(at + 2, 2);
    const size = typeBytes[type] ?? 0;
    const room = this.link.sizeBytes;
    const count = this.#number(at + 4, room);
    const place = at + 4 + room;
    const start = count * size <= room ? place : this.#number(place, room);
    if (size === 0 || start + count * size > this.#view.byteLength) return undefined;
    return { at: start, count, size, type };
  }

  get #countBytes(): number {
    return this.isBig ? 8 : 2;
  }

  get #entryBytes(): number {
    return this.isBig ? 20 : 12;
  }

  #countEntries(directory: number): number | undefined {
    if (directory + this.#countBytes > this.#view.byteLength) return undefined;
    const count = this.#number(directory, this.#countBytes);
    const end = directory + this.#countBytes + count * this.#entryBytes;
    return count > 0 && count <= maxEntries && end <= this.#view.byteLength ? count : undefined;
  }

  /** 0 for what lies outside of the file. */
  #number(at: number, sizeBytes: number): number {
    if (at < 0 || at + sizeBytes > this.#view.byteLength) return 0;
    if (sizeBytes === 1) return this.#view.getUint8(at);
    if (sizeBytes === 2) return this.#view.getUint16(at, this.#isLittle);
    if (sizeBytes === 4) return this.#view.getUint32(at, this.#isLittle);
    return Number(this.#view.getBigUint64(at, this.#isLittle));
  }
}

interface TiffEntry {
  readonly at: number;
  readonly count: number;
  readonly size: number;
  readonly type: number;
}
