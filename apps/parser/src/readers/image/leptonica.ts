import { instantiateTesseract, type Pix, type Tesseract } from "../../ocr/tesseract-module.ts";
import type { GrayPicture } from "../../ocr/gray-picture.ts";

/** A decoded picture in shades of gray, with what it says of its resolution. */
export type DecodedPicture = Omit<GrayPicture, "dpi"> & { readonly dpi: number | undefined };

/** WebAssembly memory never shrinks: an instance that a large picture has blown up is left to the collector. */
const keptBytes = 256 << 20;
let idle: Tesseract | undefined;

/** The decoders of Leptonica, which come with Tesseract. */
export async function openLeptonica(): Promise<Leptonica> {
  const tesseract = idle ?? (await instantiateTesseract());
  idle = undefined;
  return new Leptonica(tesseract);
}

export class Leptonica {
  readonly #tesseract: Tesseract;
  #file = 0;
  #fileBytes = 0;
  /** Room for a pointer. */
  #cell = 0;
  #isBroken = false;

  constructor(tesseract: Tesseract) {
    this.#tesseract = tesseract;
  }

  /** Takes a file in; `decode` reads it, as often as wanted. */
  load(bytes: Uint8Array): void {
    const { module, memory } = this.#tesseract;
    if (this.#file !== 0) module._free(this.#file);
    this.#file = module._malloc(bytes.length);
    this.#fileBytes = bytes.length;
    if (this.#file === 0) throw new RangeError("Array buffer allocation failed");
    new Uint8Array(memory(), this.#file, bytes.length).set(bytes);
  }

  /** Changes bytes of the file taken in. */
  patch(at: number, bytes: Uint8Array): void {
    new Uint8Array(this.#tesseract.memory(), this.#file, this.#fileBytes).set(bytes, at);
  }

  /** The picture, or the first of several; undefined when it is damaged or of a kind that is not known. */
  decode(): DecodedPicture | undefined {
    if (this.#isBroken) return undefined;
    const { module } = this.#tesseract;
    try {
      const pointer = module._pixReadMem(this.#file, this.#fileBytes);
      if (pointer === 0) return undefined;
      const picture = toGray(this.#tesseract, pointer);
      module._pixDestroy(this.#cellOf(pointer));
      return picture;
    } catch (error) {
      // A fault leaves the memory of the instance in disorder.
      this.#isBroken = true;
      if (error instanceof RangeError || /memory|OOM|Aborted/i.test(String(error)))
        throw new RangeError("Array buffer allocation failed", { cause: error });
      return undefined;
    }
  }

  close(): void {
    const { module, memory } = this.#tesseract;
    if (this.#isBroken || memory().byteLength > keptBytes) return;
    if (this.#file !== 0) module._free(this.#file);
    if (this.#cell !== 0) module._free(this.#cell);
    idle = this.#tesseract;
  }

  // `pixDestroy` takes the address of a pointer, and clears it.
  #cellOf(pointer: number): number {
    const { module, memory } = this.#tesseract;
    if (this.#cell === 0) this.#cell = module._malloc(4);
    new DataView(memory()).setUint32(this.#cell, pointer, true);
    return this.#cell;
  }
}

const leastDpi = 60;
const mostDpi = 4800;

function toGray(tesseract: Tesseract, pointer: number): DecodedPicture {
  const { module, memory } = tesseract;
  const pix = module.wrapPointer(pointer, module.Pix);
  const [width, height] = [pix.get_w(), pix.get_h()];
  const words = new Uint32Array(memory(), pix.get_data(), pix.get_wpl() * height);
  const rows = { width, height, depth: pix.get_d(), rowWords: pix.get_wpl(), words };
  const pixels =
    rows.depth === 32 ? fromColours(rows, pix.get_spp() === 4) : fromValues(rows, shadesOf(tesseract, pix));
  const dpi = pix.get_xres();
  return { width, height, pixels, dpi: dpi >= leastDpi && dpi <= mostDpi ? dpi : undefined };
}

/** Rows are padded to words of 32 bits, each with its first pixel in its highest bits (Leptonica, pix.h). */
interface Rows {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly rowWords: number;
  readonly words: Uint32Array;
}

function fromColours({ width, height, rowWords, words }: Rows, hasAlpha: boolean): Uint8Array {
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const word = words[y * rowWords + x] as number;
      // ITU-R BT.601
      const shade = ((word >>> 24) * 299 + ((word >>> 16) & 255) * 587 + ((word >>> 8) & 255) * 114) / 1000;
      // What can be seen through lies on white paper.
      const alpha = hasAlpha ? word & 255 : 255;
      pixels[y * width + x] = alpha === 255 ? shade : (shade * alpha) / 255 + 255 - alpha;
    }
  }
  return pixels;
}

function fromValues({ width, height, depth, rowWords, words }: Rows, shades: Uint8Array): Uint8Array {
  const pixels = new Uint8Array(width * height);
  const mask = shades.length - 1;
  for (let y = 0; y < height; y++) {
    let at = y * rowWords - 1;
    let shift = 0;
    for (let x = 0; x < width; x++) {
      if (shift === 0) {
        shift = 32;
        at++;
      }
      shift -= depth;
      pixels[y * width + x] = shades[((words[at] as number) >>> shift) & mask] as number;
    }
  }
  return pixels;
}

/** The shade of each value that a pixel can have. */
function shadesOf({ module, memory }: Tesseract, pix: Pix): Uint8Array {
  const depth = pix.get_d();
  const count = 2 ** depth;
  const colours = pix.get_colormap();
  if (module.getPointer(colours) === 0) {
    // Ink is 1 in pictures of two shades, and 0 in others.
    return Uint8Array.from({ length: count }, (_, value) =>
      depth === 1 ? 255 - 255 * value : (value * 255) / (count - 1),
    );
  }
  const known = Math.min(colours.get_n(), count);
  const bytes = new Uint8Array(memory(), colours.get_array(), known * 4);
  const channel = (value: number, index: number): number => bytes[value * 4 + index] ?? 255;
  return Uint8Array.from({ length: count }, (_, value) =>
    Math.round((channel(value, 2) * 299 + channel(value, 1) * 587 + channel(value, 0) * 114) / 1000),
  );
}
