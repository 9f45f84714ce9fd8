import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { AppError } from "@attune/service-kit/app-error.ts";
import { init } from "@embedpdf/pdfium";
import type { PdfiumCalls } from "./calls.ts";
import { FileAccess, type FileAccessModule } from "./file-access.ts";
import { type WasmInstance, type WasmModule, webAssembly } from "./web-assembly.ts";

/** The parts of the Emscripten module that are used. The heaps are replaced when memory grows: read them at each use. */
interface EmscriptenModule extends FileAccessModule {
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  readonly wasmExports: Readonly<Record<string, unknown>> & Allocator;
}

interface Allocator {
  malloc(size: number): number;
  free(pointer: number): void;
}

const scratchBytes = 8192;

/** One instance of PDFium, with its own memory. Not reentrant: one call at a time. */
export class Pdfium {
  readonly raw: PdfiumCalls;
  readonly #module: EmscriptenModule;
  /** Room for out-parameters and short strings, `scratchBytes` long, aligned for any number. */
  readonly scratch: number;
  /** The file of the open document. */
  readonly file: FileAccess;

  constructor(module: EmscriptenModule) {
    this.#module = module;
    this.raw = directCalls(module.wasmExports);
    this.scratch = module.wasmExports.malloc(scratchBytes);
    this.file = new FileAccess(module);
  }

  get bytes(): Uint8Array {
    return this.#module.HEAPU8;
  }

  get heapBytes(): number {
    return this.#module.HEAPU8.length;
  }

  /** The memory as floats and as doubles, for loops that read much: valid until the next call that may allocate. */
  get floats(): Float32Array {
    return this.#module.HEAPF32;
  }

  get doubles(): Float64Array {
    return this.#module.HEAPF64;
  }

  /** The float that lies `index` floats after the beginning of the scratch room. */
  float(index: number): number {
    return this.#module.HEAPF32[(this.scratch >> 2) + index] ?? 0;
  }

  /** The signed 32-bit integer at an address. */
  intAt(pointer: number): number {
    return this.#module.HEAP32[pointer >> 2] ?? 0;
  }

  /** The signed 32-bit integer that lies `index` integers after the beginning of the scratch room. */
  int(index: number): number {
    return this.#module.HEAP32[(this.scratch >> 2) + index] ?? 0;
  }

  /** Address of the 32-bit cell `index` of the scratch room. */
  cell(index: number): number {
    return this.scratch + index * 4;
  }

  /**
   * Reads a UTF-16 string with a PDFium function that fills a buffer and returns the bytes needed, the final zero
   * included. Longer strings than the scratch room holds are cut.
   */
  utf16(fill: (buffer: number, sizeBytes: number) => number): string {
    const sizeBytes = Math.min(fill(this.scratch, scratchBytes), scratchBytes) - 2;
    return sizeBytes > 0 ? Buffer.from(this.#module.HEAPU8.buffer, this.scratch, sizeBytes).toString("utf16le") : "";
  }

  /** As `utf16`, for strings of bytes. */
  utf8(fill: (buffer: number, sizeBytes: number) => number): string {
    const sizeBytes = Math.min(fill(this.scratch, scratchBytes), scratchBytes) - 1;
    return sizeBytes > 0 ? Buffer.from(this.#module.HEAPU8.buffer, this.scratch, sizeBytes).toString("utf8") : "";
  }

  /** Copies bytes into PDFium's memory; 0 when there is no room. Give the address to `release` afterwards. */
  allocate(bytes: Uint8Array): number {
    const pointer = this.#module.wasmExports.malloc(Math.max(1, bytes.length));
    if (pointer !== 0) this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  release(pointer: number): void {
    if (pointer !== 0) this.#module.wasmExports.free(pointer);
  }
}

// The module's own functions check their arguments at each call, which costs as much as most calls do.
function directCalls(exports: Readonly<Record<string, unknown>>): PdfiumCalls {
  return Object.fromEntries(
    Object.entries(exports).map(([name, call]) => [`_${name}`, call]),
  ) as unknown as PdfiumCalls;
}

// WASM memory never shrinks: an instance that a large document has blown up is left to the collector after it.
const heapKeptBytes = 96 << 20;

let compiled: Promise<WasmModule> | undefined;
let idle: Pdfium | undefined;
/** The glue code has complained of a refused growth of memory; the abort that follows does not say so. */
let wantsMemory = false;

/**
 * Runs `use` with an instance of PDFium that nothing else uses meanwhile. The module is compiled once per process, and an
 * instance serves document after document; one that threw is not used again, because its memory may be inconsistent.
 */
export async function withPdfium<T>(use: (pdfium: Pdfium) => T): Promise<T> {
  const pdfium = idle ?? (await instantiate());
  idle = undefined;
  wantsMemory = false;
  try {
    const result = use(pdfium);
    keep(pdfium);
    return result;
  } catch (error) {
    if (error instanceof AppError) keep(pdfium);
    throw toReadError(error);
  }
}

function keep(pdfium: Pdfium): void {
  if (pdfium.heapBytes <= heapKeptBytes) idle = pdfium;
}

// A fault of PDFium ends in a trap or an abort of its instance; which of them is for want of memory, its messages tell.
function toReadError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof webAssembly.RuntimeError)) return error;
  return wantsMemory || /memory|OOM|alloc/i.test(error.message)
    ? new AppError("MEMORY_EXCEEDED", {}, error)
    : new AppError("DOCUMENT_CORRUPT", { detail: "Its structure makes the PDF library fail." }, error);
}

async function instantiate(): Promise<Pdfium> {
  compiled ??= compile();
  const module = await compiled;
  const wrapped = await new Promise<Awaited<ReturnType<typeof init>>>((resolve, reject) => {
    const instantiateWasm = (imports: object, receive: (instance: WasmInstance) => void) => {
      // The glue code does not hear of a failure here, such as want of memory.
      webAssembly.instantiate(module, imports).then(receive, reject);
      return {};
    };
    const noteMemory = (text: string) => {
      wantsMemory ||= /grow|enlarge|memory/i.test(text);
    };
    init({ instantiateWasm, print: () => undefined, printErr: noteMemory } as Parameters<typeof init>[0]).then(
      resolve,
      reject,
    );
  });
  const pdfium = new Pdfium(wrapped.pdfium as unknown as EmscriptenModule);
  pdfium.raw._PDFiumExt_Init();
  return pdfium;
}

async function compile(): Promise<WasmModule> {
  return webAssembly.compile(await readFile(fileURLToPath(import.meta.resolve("@embedpdf/pdfium/pdfium.wasm"))));
}
