export interface TiffPageSpec {
  readonly width: number;
  readonly height: number;
  readonly orientation?: number;
  readonly dpi?: number;
  /** A byte a pixel, 0 is black; white when absent. */
  readonly pixels?: Uint8Array;
}

export interface TiffKind {
  readonly isBigEndian?: boolean;
  readonly isBig?: boolean;
  /** The last page leads to this one, counted from 0. */
  readonly loopsTo?: number;
}

const short = 3;
const long = 4;
const fraction = 5;

/** A TIFF file of gray pages without compression: TIFF 6.0, or BigTIFF. */
export function makeTiff(pages: readonly TiffPageSpec[], kind: TiffKind = {}): Buffer {
  const writer = new TiffWriter(kind);
  for (const page of pages) writer.add(page);
  return writer.finish(kind.loopsTo);
}

interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly value: Buffer;
}

class TiffWriter {
  readonly #isBigEndian: boolean;
  readonly #isBig: boolean;
  readonly #parts: Buffer[];
  /** Where directories lie, and where the offset of each next one is to be written. */
  readonly #directories: number[] = [];
  readonly #links: number[];
  #size: number;

  constructor({ isBigEndian = false, isBig = false }: TiffKind) {
    this.#isBigEndian = isBigEndian;
    this.#isBig = isBig;
    const order = Buffer.from(isBigEndian ? "MM" : "II");
    const version = isBig ? [this.#number(43, 2), this.#number(8, 2), this.#number(0, 2)] : [this.#number(42, 2)];
    this.#parts = [order, ...version, this.#number(0, this.#room)];
    this.#size = Buffer.concat(this.#parts).length;
    this.#links = [this.#size - this.#room];
  }

  add({ width, height, orientation = 1, dpi, pixels = new Uint8Array(width * height).fill(255) }: TiffPageSpec): void {
    const pixelsAt = this.#push(Buffer.from(pixels));
    const ratio = Buffer.concat([this.#number(dpi ?? 0, 4), this.#number(1, 4)]);
    const ratioAt = this.#push(ratio);
    const longs = [
      [256, width],
      [257, height],
      [273, pixelsAt],
      [278, height],
      [279, pixels.length],
    ] as const;
    const shorts = [
      [258, 8],
      [259, 1],
      [262, 1],
      [274, orientation],
      [277, 1],
    ] as const;
    const entries: Entry[] = [
      ...longs.map(([tag, value]) => ({ tag, type: long, value: this.#number(value, 4) })),
      ...shorts.map(([tag, value]) => ({ tag, type: short, value: this.#number(value, 2) })),
    ];
    // A fraction that fits stands in the entry itself.
    if (dpi !== undefined)
      entries.push({ tag: 282, type: fraction, value: this.#isBig ? ratio : this.#number(ratioAt, 4) });
    this.#pushDirectory(entries.sort((a, b) => a.tag - b.tag));
  }

  finish(loopsTo: number | undefined): Buffer {
    const bytes = Buffer.concat(this.#parts);
    const last = loopsTo === undefined ? [] : [this.#directories[loopsTo] as number];
    for (const [index, target] of [...this.#directories, ...last].entries())
      this.#number(target, this.#room).copy(bytes, this.#links[index]);
    return bytes;
  }

  #pushDirectory(entries: readonly Entry[]): void {
    const fields = entries.map(({ tag, type, value }) => {
      const padded = Buffer.alloc(this.#room);
      value.copy(padded);
      return Buffer.concat([this.#number(tag, 2), this.#number(type, 2), this.#number(1, this.#room), padded]);
    });
    const count = this.#number(entries.length, this.#isBig ? 8 : 2);
    this.#directories.push(this.#push(Buffer.concat([count, ...fields, this.#number(0, this.#room)])));
    this.#links.push(this.#size - this.#room);
  }

  #push(bytes: Buffer): number {
    const at = this.#size;
    this.#parts.push(bytes);
    this.#size += bytes.length;
    return at;
  }

  get #room(): number {
    return this.#isBig ? 8 : 4;
  }

  #number(value: number, size: number): Buffer {
    const bytes = Buffer.alloc(size);
    if (size === 8) bytes[this.#isBigEndian ? "writeBigUInt64BE" : "writeBigUInt64LE"](BigInt(value));
    else bytes[this.#isBigEndian ? "writeUIntBE" : "writeUIntLE"](value, 0, size);
    return bytes;
  }
}
