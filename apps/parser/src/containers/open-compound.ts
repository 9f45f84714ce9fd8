import { AppError } from "@attune/service-kit/app-error.ts";

/** Streams of an OLE compound file ([MS-CFB]). */
export interface CompoundStreams {
  /** The bytes of the first stream of this name, wherever it lies; undefined when there is none. */
  read(name: string): Buffer | undefined;
  /** The bytes of the stream at this path of storages, separated by `/`; undefined when there is none. */
  readPath(path: string): Buffer | undefined;
}

interface Entry {
  readonly name: string;
  readonly type: number;
  /** Places in the directory of the entries before and after it in its storage, and of one inside it. */
  readonly links: readonly [left: number, right: number, child: number];
  readonly start: number;
  readonly sizeBytes: number;
}

const endOfChain = 0xfffffffa;
const entryBytes = 128;

export interface CompoundOptions {
  /** Called when sectors lie behind the end of the file: streams then end before them, and the file is not refused. */
  readonly onCut?: () => void;
}

/** Sectors of the allocation table that may be missing. */
const maxMissingSectors = 10_000;

/** @throws AppError `DOCUMENT_CORRUPT` for sectors outside of the file and chains that run in circles. */
export function openCompound(bytes: Uint8Array, { onCut }: CompoundOptions = {}): CompoundStreams {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length < 512) throw corrupt();
  const sectorBytes = 1 << Math.max(7, Math.min(16, buffer.readUInt16LE(30)));
  const isMissing = (sector: number): boolean => (sector + 1) * sectorBytes + 4 > buffer.length;
  const unused = Buffer.alloc(sectorBytes, 0xff);
  let missingCount = 0;
  const sectorAt = (sector: number): Buffer => {
    if (!isMissing(sector)) return buffer.subarray((sector + 1) * sectorBytes, (sector + 2) * sectorBytes);
    if (onCut === undefined || ++missingCount > maxMissingSectors) throw corrupt();
    onCut();
    return unused;
  };
  const table = readTable(buffer, sectorAt);
  const readChain = (start: number): Buffer => {
    const chain = chainOf(start, table);
    const missingAt = chain.findIndex(isMissing);
    if (missingAt === -1) return Buffer.concat(chain.map(sectorAt));
    if (onCut === undefined) throw corrupt();
    onCut();
    return Buffer.concat(chain.slice(0, missingAt).map(sectorAt));
  };
  const directory = readEntries(readChain(buffer.readUInt32LE(48)));
  const entries = firstByName(directory);
  const cutoff = buffer.readUInt32LE(56);
  const readEntry = (entry: Entry | undefined): Buffer | undefined => {
    if (entry === undefined) return undefined;
    const isMini = entry.sizeBytes < cutoff;
    const content = isMini ? readMini(entry, { buffer, entries, readChain }) : readChain(entry.start);
    return content.subarray(0, entry.sizeBytes);
  };
  return {
    read: (name) => readEntry(entries.get(name)),
    readPath: (path) => readEntry(findPath(directory, path.split("/"))),
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

const types = { storage: 1, stream: 2, root: 5 } as const;

function readEntries(directory: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = directory.readUInt16LE(at + 64);
    const type = nameBytes < 2 || nameBytes > 64 ? 0 : directory.readUInt8(at + 66);
    entries.push({
      name: type === types.root ? rootName : directory.toString("utf16le", at, at + Math.max(0, nameBytes - 2)),
      type,
      links: [directory.readUInt32LE(at + 68), directory.readUInt32LE(at + 72), directory.readUInt32LE(at + 76)],
      start: directory.readUInt32LE(at + 116),
      sizeBytes: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

function firstByName(directory: readonly Entry[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const entry of directory) {
    const hasBytes = entry.type === types.stream || entry.type === types.root;
    if (hasBytes && !entries.has(entry.name)) entries.set(entry.name, entry);
  }
  return entries;
}

function findPath(directory: readonly Entry[], names: readonly string[]): Entry | undefined {
  let place = directory[0];
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const wanted = isLast ? types.stream : types.storage;
    place = place && findMember(directory, place, (entry) => entry.name === name && entry.type === wanted);
  }
  return place;
}

// The members of a storage are a tree; in files made to harm, one that bites its own tail.
function findMember(
  directory: readonly Entry[],
  storage: Entry,
  isWanted: (entry: Entry) => boolean,
): Entry | undefined {
  const visited = new Set<number>();
  const waiting = [storage.links[2]];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const entry = directory[index];
    if (entry === undefined || visited.has(index)) continue;
    visited.add(index);
    if (isWanted(entry)) return entry;
    waiting.push(entry.links[0], entry.links[1]);
  }
  return undefined;
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
