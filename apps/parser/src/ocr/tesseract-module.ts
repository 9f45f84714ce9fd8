import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The parts of tesseract.js-core that are used: Tesseract and Leptonica as WebAssembly (Tesseract's baseapi.h, Leptonica's allheaders.h). */
export interface TesseractModule {
  readonly FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
  readonly TessBaseAPI: new () => TessBaseApi;
  readonly Pix: object;
  wrapPointer(pointer: number, type: object): Pix;
  getPointer(wrapped: object): number;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _pixReadMem(pointer: number, size: number): number;
  /** Takes the address of a pointer. */
  _pixDestroy(address: number): void;
  /** Called while a page is read; what it throws ends the reading, and the instance cannot be used any more. */
  TesseractProgress?: (percent: number) => void;
}

interface TessBaseApi {
  /** 0 when the data was good. */
  Init(folder: null, languages: string, engine: number): number;
  SetVariable(name: string, value: string): boolean;
  SetImage(pixels: number, width: number, height: number, bytesPerPixel: number, bytesPerRow: number): void;
  SetSourceResolution(dpi: number): void;
  Recognize(monitor: null): number;
  GetHOCRText(page: number): string;
  Clear(): void;
  End(): void;
}

export interface Pix {
  get_w(): number;
  get_h(): number;
  /** Bits of a pixel: 1, 2, 4, 8, 16 or 32. */
  get_d(): number;
  get_wpl(): number;
  get_spp(): number;
  get_xres(): number;
  get_yres(): number;
  get_data(): number;
  get_colormap(): PixColormap;
}

/** Colours as bytes of blue, green, red and alpha. */
interface PixColormap {
  get_array(): number;
  get_n(): number;
}

export interface Tesseract {
  readonly module: TesseractModule;
  /** The memory of the instance; read it at each use, because it is replaced when it grows. */
  readonly memory: () => ArrayBuffer;
}

interface WebAssemblyNamespace {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ readonly exports: Readonly<Record<string, unknown>> }>;
  readonly Memory: new () => { readonly buffer: ArrayBuffer };
}
const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace }).WebAssembly;

// Not the variant with relaxed SIMD: its results depend on the processor.
const variant = "tesseract.js-core/tesseract-core-simd-lstm";

type Factory = (module: object) => Promise<TesseractModule>;
let compiled: Promise<object> | undefined;

/** A fresh instance, with a memory of its own. The module is compiled once per process. */
export async function instantiateTesseract(): Promise<Tesseract> {
  compiled ??= readFile(fileURLToPath(import.meta.resolve(`${variant}.wasm`))).then((bytes) =>
    webAssembly.compile(bytes),
  );
  const compiledModule = await compiled;
  const factory = createRequire(import.meta.url)(variant) as Factory;
  let memory: { readonly buffer: ArrayBuffer } | undefined;
  const module = await new Promise<TesseractModule>((resolve, reject) => {
    const instantiateWasm = (imports: object, receive: (instance: object, module: object) => void) => {
      // The glue code does not hear of a failure here, such as want of memory.
      webAssembly.instantiate(compiledModule, imports).then((instance) => {
        memory = Object.values(instance.exports).find((value) => value instanceof webAssembly.Memory);
        receive(instance, compiledModule);
      }, reject);
      return {};
    };
    const silent = () => undefined;
    factory({ instantiateWasm, print: silent, printErr: silent }).then(resolve, reject);
  });
  return { module, memory: () => memory?.buffer ?? new ArrayBuffer(0) };
}
