import { decodeHead } from "./decode-head.ts";
import { listCompound } from "./list-compound.ts";
import { listZip } from "./list-zip.ts";
import type { CompoundListing, Probe, ZipListing } from "./probe.ts";
import { accessBytes, type RandomAccess, readBuffer } from "./random-access.ts";

const headBytes = 64 * 1024;

/**
 * A probe over a file; each part is read and worked out when first asked for, the head at once. What is never asked for is
 * never read, and of the largest file no more than a few MiB are.
 */
export function createProbe(file: Uint8Array | RandomAccess): Probe {
  return new FileProbe(file instanceof Uint8Array ? accessBytes(file) : file);
}

class FileProbe implements Probe {
  readonly sizeBytes: number;
  readonly head: Buffer;
  readonly #file: RandomAccess;
  #headLatin1: string | undefined;
  #headText: { readonly value: string | undefined } | undefined;
  #zip: { readonly value: ZipListing | undefined } | undefined;
  #compound: { readonly value: CompoundListing | undefined } | undefined;

  constructor(file: RandomAccess) {
    this.#file = file;
    this.sizeBytes = file.sizeBytes;
    this.head = readBuffer(file, 0, headBytes);
  }

  get headLatin1(): string {
    this.#headLatin1 ??= this.head.toString("latin1");
    return this.#headLatin1;
  }

  get headText(): string | undefined {
    this.#headText ??= { value: decodeHead(this.head, this.sizeBytes > headBytes) };
    return this.#headText.value;
  }

  get zip(): ZipListing | undefined {
    this.#zip ??= { value: listZip(this.#file) };
    return this.#zip.value;
  }

  get compound(): CompoundListing | undefined {
    this.#compound ??= { value: listCompound(this.#file) };
    return this.#compound.value;
  }
}
