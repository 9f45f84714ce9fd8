import { decodeText } from "../text/decode-text.ts";
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
    this.#headText ??= { value: textOf(this.head) };
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

function textOf(head: Uint8Array): string | undefined {
  return looksBinary(head) ? undefined : decodeText(head).text;
}

// Control characters that no text has, or zeros that are not those of UTF-16.
function looksBinary(head: Uint8Array): boolean {
  const sample = head.subarray(0, 8192);
  let controls = 0;
  let zerosEven = 0;
  let zerosOdd = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at] as number;
    if (byte === 0 && at % 2 === 0) zerosEven++;
    else if (byte === 0) zerosOdd++;
    else if (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b && byte !== 0x1a) controls++;
  }
  if (zerosEven + zerosOdd > 0 && !isUtf16(sample, zerosEven, zerosOdd)) return true;
  return controls > sample.length / 50;
}

function isUtf16(sample: Uint8Array, zerosEven: number, zerosOdd: number): boolean {
  const hasMark = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  const pairs = sample.length / 2;
  return (
    hasMark ||
    (zerosEven > pairs * 0.4 && zerosOdd < pairs * 0.05) ||
    (zerosOdd > pairs * 0.4 && zerosEven < pairs * 0.05)
  );
}
