import type { CompoundListing } from "./probe.ts";
import { type RandomAccess, readBuffer } from "./random-access.ts";

const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const maxDirectoryBytes = 2 << 20;
const headerBytes = 512;
const entryBytes = 128;
/** Sectors of the allocation table that the header itself lists. */
const headerTableSectors = 109;

/** Names in the directory of an OLE compound file ([MS-CFB] 2.6), or undefined when the bytes are not one. */
export function listCompound(file: RandomAccess): CompoundListing | undefined {
  const header = readBuffer(file, 0, headerBytes);
  if (header.length < headerBytes || !header.subarray(0, 8).equals(signature)) return undefined;
  // 512 or 4096 bytes ([MS-CFB] 2.2); smaller than an entry they could hold none.
  const sectorBytes = 1 << Math.min(16, Math.max(7, header.readUInt16LE(30)));
  const names = new Set<string>();
  const visited = new Set<number>();
  let sector: number | undefined = header.readUInt32LE(48);
  while (sector !== undefined && !visited.has(sector) && visited.size * sectorBytes < maxDirectoryBytes) {
    visited.add(sector);
    const entries = readBuffer(file, (sector + 1) * sectorBytes, sectorBytes);
    if (entries.length < sectorBytes) break;
    collectNames(entries, names);
    sector = nextSector({ file, header, sectorBytes }, sector);
  }
  return { names };
}

function collectNames(sector: Buffer, names: Set<string>): void {
  for (let at = 0; at + entryBytes <= sector.length; at += entryBytes) {
    const nameBytes = sector.readUInt16LE(at + 64);
    const isUsed = sector[at + 66] !== 0;
    if (isUsed && nameBytes >= 2 && nameBytes <= 64) names.add(sector.toString("utf16le", at, at + nameBytes - 2));
  }
}

interface CompoundFile {
  readonly file: RandomAccess;
  readonly header: Buffer;
  readonly sectorBytes: number;
}

// Follows the file allocation table through its first sectors, which cover directories of any honest file.
function nextSector({ file, header, sectorBytes }: CompoundFile, sector: number): number | undefined {
  const perSector = sectorBytes / 4;
  const tableIndex = Math.floor(sector / perSector);
  if (tableIndex >= headerTableSectors) return undefined;
  const tableSector = header.readUInt32LE(76 + 4 * tableIndex);
  const entry = readBuffer(file, (tableSector + 1) * sectorBytes + 4 * (sector % perSector), 4);
  if (entry.length < 4) return undefined;
  const next = entry.readUInt32LE(0);
  return next < 0xfffffffa ? next : undefined;
}
