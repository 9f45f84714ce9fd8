import { decodeHead } from "./decode-head.ts";
import { listCompound } from "./list-compound.ts";
import { listZip } from "./list-zip.ts";
import type { CompoundListing, Probe, ZipListing } from "./probe.ts";

const headBytes = 64 * 1024;

/** A probe over a file held in memory; each part is worked out when first asked for. */
export function createProbe(bytes: Uint8Array): Probe {
  return new MemoryProbe(bytes);
}

class MemoryProbe implements Probe {
  readonly sizeBytes: number;
  readonly head: Uint8Array;
  readonly #bytes: Uint8Array;
  #headLatin1: string | undefined;
  #headText: { readonly value: string | undefined } | undefined;
  #zip: { readonly value: ZipListing | undefined } | undefined;
  #compound: { readonly value: CompoundListing | undefined } | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.sizeBytes = bytes.length;
    this.head = bytes.subarray(0, headBytes);
  }

  get headLatin1(): string {
    this.#headLatin1 ??= Buffer.from(this.head.buffer, this.head.byteOffset, this.head.length).toString("latin1");
    return this.#headLatin1;
  }

  get headText(): string | undefined {
    this.#headText ??= { value: decodeHead(this.head, this.sizeBytes > headBytes) };
    return this.#headText.value;
  }

  get zip(): ZipListing | undefined {
    this.#zip ??= { value: listZip(this.#bytes) };
    return this.#zip.value;
  }

  get compound(): CompoundListing | undefined {
    this.#compound ??= { value: listCompound(this.#bytes) };
    return this.#compound.value;
  }
}
