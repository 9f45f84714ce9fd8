import { AppError } from "@attune/service-kit/app-error.ts";

/** Streams of an OLE compound file ([MS-CFB]). */
export interface CompoundStreams {
  /** The bytes of the first stream of this name, wherever it lies; undefined when there is none. */
  read(name: string): Buffer | undefined;
}

interface Entry {
  readonly type: number;
  readonly start: number;
  readonly sizeBytes: number;
}

const endOfChain = 0xfffffffa;
const entryBytes = 128;

/** @throws AppError `DOCUMENT_CORRUPT` for sectors outside of the file and chains that run in circles. */
export function openCompound(bytes: Uint8Array): CompoundStreams {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length < 512) throw corrupt();
  const sectorBytes = 1 << Math.max(7, Math.min(16, buffer.readUInt16LE(30)));
  const sectorAt = (sector: number): Buffer => {
    const at = (sector + 1) * sectorBytes;
    if (at + 4 > buffer.length) throw corrupt();
    return buffer.subarray(at, at + sectorBytes);
  };
  const table = readTable(buffer, sectorAt);
  const readChain = (start: number): Buffer => Buffer.concat(chainOf(start, table).map(sectorAt));
  const entries = readEntries(readChain(buffer.readUInt32LE(48)));
  const cutoff = buffer.readUInt32LE(56);
  return {
    read: (name) => {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      const isMini = entry.sizeBytes < cutoff;
      const content = isMini ? readMini(entry, { buffer, entries, readChain }) : readChain(entry.start);
      return content.subarray(0, entry.sizeBytes);
    },
  };
}

// Numbers of the sectors that hold the allocation table: 109 in the header, the others chained.
function readTable(buffer: Buffer, sectorAt: (sector: number) => Buffer): Uint32Array {
  const numbers = Array.from({ length: 109 }, (_, index) => buffer.readUInt32LE(76 + 4 * index));
  const visited = new Set<number>();
  for (let next = buffer.readUInt32LE(68); next < endOfChain && !visited.has(next);) {
    visited.add(next);
    const sector = toNumbers(sectorAt(next));
    numbers.push(...sector.subarray(0, -1));
    next = sector.at(-1) ?? endOfChain;
  }
  const used = [...new Set(numbers.filter((number) => number < endOfChain))];
  return toNumbers(Buffer.concat(used.map(sectorAt)));
}

function toNumbers(bytes: Buffer): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4));
  for (let index = 0; index < numbers.length; index++) numbers[index] = bytes.readUInt32LE(4 * index);
  return numbers;
}

function chainOf(start: number, table: Uint32Array): number[] {
  const chain: number[] = [];
  for (let sector = start; sector < endOfChain; sector = table[sector] ?? endOfChain) {
    if (chain.length > table.length) throw corrupt();
    chain.push(sector);
  }
  return chain;
}

function readEntries(directory: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = directory.readUInt16LE(at + 64);
    if (nameBytes < 2 || nameBytes > 64) continue;
    const type = directory.readUInt8(at + 66);
    const name = type === 5 ? rootName : directory.toString("utf16le", at, at + nameBytes - 2);
    const entry = { type, start: directory.readUInt32LE(at + 116), sizeBytes: directory.readUInt32LE(at + 120) };
    if ((type === 2 || type === 5) && !entries.has(name)) entries.set(name, entry);
  }
  return entries;
}

const rootName = "/";

interface MiniPlace {
  readonly buffer: Buffer;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly readChain: (start: number) => Buffer;
}

// Small streams lie in the stream of the root, in sectors of their own.
function readMini({ start }: Entry, { buffer, entries, readChain }: MiniPlace): Buffer {
  const miniBytes = 1 << Math.min(12, buffer.readUInt16LE(32));
  const content = readChain(entries.get(rootName)?.start ?? endOfChain);
  const table = toNumbers(readChain(buffer.readUInt32LE(60)));
  return Buffer.concat(
    chainOf(start, table).map((sector) => content.subarray(sector * miniBytes, (sector + 1) * miniBytes)),
  );
}

function corrupt(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "Its compound file points outside of itself." });
}
