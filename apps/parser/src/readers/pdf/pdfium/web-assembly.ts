/** A compiled module and a running instance; opaque here. */
export type WasmModule = object;
export type WasmInstance = object;

interface WebAssemblyNamespace {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<WasmInstance>;
  readonly RuntimeError: new (message?: string) => Error;
}

/** The global `WebAssembly`, which the type library of Node leaves to that of browsers. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace }).WebAssembly;
