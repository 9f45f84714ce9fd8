import { AppError } from "@attune/service-kit/app-error.ts";

const headerBytes = 512;
const entryBytes = 128;
const miniStreamCutoff = 4096;
const endOfChain = 0xfffffffe;
const noIndex = 0xffffffff;
const kinds = { stream: 2, root: 5 } as const;

/**
 * Makes sure that reading a compound file ([MS-CFB]) ends: every chain of sectors ends where it should, the tree of the
 * directory has no loops, and no stream claims more bytes than the file has. Linear.
 * @throws AppError `DOCUMENT_CORRUPT`.
 */
export function checkCompound(bytes: Uint8Array): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < headerBytes) throw corrupt();
  const sectorBytes = file[30] === 12 ? 4096 : 512;
  const chains = new Chains(readTable(file, sectorBytes));
  const directory = joinSectors(file, chains.walk(file.readUInt32LE(48)), sectorBytes);
  const miniFat = file.readUInt32LE(64) === 0 ? [] : chains.walk(file.readUInt32LE(60));
  const miniChains = new Chains(toTable(joinSectors(file, miniFat, sectorBytes)));
  checkTree(directory);
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const kind = directory[at + 66];
    const [start, size] = [directory.readUInt32LE(at + 116), directory.readUInt32LE(at + 120)];
    if ((kind !== kinds.stream && kind !== kinds.root) || size === 0) continue;
    if (size > file.length) throw corrupt();
    const isSmall = kind === kinds.stream && size < miniStreamCutoff;
    (isSmall ? miniChains : chains).walk(start);
  }
}

/** Follows chains through an allocation table; each place belongs to one chain, so that all of them together are bounded. */
class Chains {
  readonly #next: Uint32Array;
  #stepsLeft: number;

  constructor(next: Uint32Array) {
    this.#next = next;
    this.#stepsLeft = 2 * next.length + 16;
  }

  walk(start: number): number[] {
    const sectors: number[] = [];
    for (let sector = start; sector !== endOfChain; sector = this.#next[sector] as number) {
      if (sector >= this.#next.length || this.#stepsLeft-- <= 0) throw corrupt();
      sectors.push(sector);
    }
    return sectors;
  }
}

// The sectors of the table stand in the header, and beyond 109 of them in a list of their own.
function readTable(file: Buffer, sectorBytes: number): Uint32Array {
  const most = Math.ceil(file.length / sectorBytes);
  const listed: number[] = [];
  for (let at = 76; at < headerBytes; at += 4) listed.push(file.readUInt32LE(at));
  let list = file.readUInt32LE(68);
  const listCount = file.readUInt32LE(72);
  if (listCount > most || file.readUInt32LE(44) > most || file.readUInt32LE(64) > most) throw corrupt();
  for (let count = 0; count < listCount && list < most; count++) {
    const sector = sectorAt(file, list, sectorBytes);
    for (let at = 0; at + 4 < sector.length; at += 4) listed.push(sector.readUInt32LE(at));
    list = sector.length < 4 ? endOfChain : sector.readUInt32LE(sector.length - 4);
  }
  const used = listed.slice(0, file.readUInt32LE(44));
  if (used.some((sector) => sector >= most)) throw corrupt();
  return toTable(joinSectors(file, used, sectorBytes));
}

function sectorAt(file: Buffer, sector: number, sectorBytes: number): Buffer {
  const at = (sector + 1) * sectorBytes;
  return file.subarray(Math.min(at, file.length), Math.min(at + sectorBytes, file.length));
}

function joinSectors(file: Buffer, sectors: readonly number[], sectorBytes: number): Buffer {
  return Buffer.concat(sectors.map((sector) => sectorAt(file, sector, sectorBytes)));
}

function toTable(bytes: Buffer): Uint32Array {
  const table = new Uint32Array(bytes.length >> 2);
  for (let at = 0; at < table.length; at++) table[at] = bytes.readUInt32LE(at * 4);
  return table;
}

// Entries are the nodes of a tree by their left and right siblings and their first child.
function checkTree(directory: Buffer): void {
  const count = Math.floor(directory.length / entryBytes);
  if (count === 0) throw corrupt();
  const visited = new Set<number>();
  const waiting = [0];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (index >= count || visited.has(index)) throw corrupt();
    visited.add(index);
    for (const field of index === 0 ? [76] : [68, 72, 76]) {
      const next = directory.readUInt32LE(index * entryBytes + field);
      if (next !== noIndex) waiting.push(next);
    }
  }
}

function corrupt(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "Its compound file has sectors or entries that lead nowhere." });
}
