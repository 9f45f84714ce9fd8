import { accessBytes, type RandomAccess } from "../../../detection/random-access.ts";

/** What of the Emscripten module a file is handed over by. */
export interface FileAccessModule {
  readonly HEAPU8: Uint8Array;
  readonly HEAP32: Int32Array;
  readonly wasmExports: { malloc(size: number): number };
  /** Puts a function into the table of PDFium's functions and gives its index, which is a function pointer there. */
  addFunction(call: (...args: readonly number[]) => number, signature: string): number;
}

const nothing = accessBytes(new Uint8Array());

/**
 * Lets PDFium read a file where it lies: it asks for the parts that it needs, so that a large file is not in memory twice,
 * and the memory of PDFium, which never shrinks, does not grow by it.
 */
export class FileAccess {
  /** Address of an FPDF_FILEACCESS (fpdfview.h): length, function that reads a block, argument for it. */
  readonly pointer: number;
  readonly #module: FileAccessModule;
  #file: RandomAccess = nothing;
  #readBytes = 0;

  constructor(module: FileAccessModule) {
    this.#module = module;
    this.pointer = module.wasmExports.malloc(12);
    module.HEAP32[(this.pointer >> 2) + 1] = module.addFunction(this.#readBlock, "iiiii");
    module.HEAP32[(this.pointer >> 2) + 2] = 0;
  }

  /** The file that PDFium reads from now on, until another one or `close`. */
  open(file: RandomAccess): void {
    this.#file = file;
    this.#readBytes = 0;
    this.#module.HEAP32[this.pointer >> 2] = file.sizeBytes;
  }

  /** Bytes that PDFium has asked for since `open`, those that it asked for again included. */
  get readBytes(): number {
    return this.#readBytes;
  }

  close(): void {
    this.open(nothing);
  }

  readonly #readBlock = (...[, position = 0, target = 0, sizeBytes = 0]: readonly number[]): number => {
    const from = position >>> 0;
    const end = from + (sizeBytes >>> 0);
    if (end > this.#file.sizeBytes) return 0;
    this.#readBytes += end - from;
    this.#module.HEAPU8.set(this.#file.readAt(from, end - from), target >>> 0);
    return 1;
  };
}
