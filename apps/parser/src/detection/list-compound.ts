import type { CompoundListing } from "./probe.ts";

const signature = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const maxDirectorySectors = 4096;
const entryBytes = 128;

/** Names in the directory of an OLE compound file ([MS-CFB] 2.6), or undefined when the bytes are not one. */
export function listCompound(bytes: Uint8Array): CompoundListing | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (buffer.length < 512 || !buffer.subarray(0, 8).equals(signature)) return undefined;
  const sectorBytes = 1 << Math.min(16, buffer.readUInt16LE(30));
  const names = new Set<string>();
  const visited = new Set<number>();
  let sector = buffer.readUInt32LE(48);
  while (!visited.has(sector) && visited.size < maxDirectorySectors) {
    visited.add(sector);
    const at = (sector + 1) * sectorBytes;
    if (at + sectorBytes > buffer.length) break;
    collectNames(buffer.subarray(at, at + sectorBytes), names);
    const next = nextSector(buffer, sector, sectorBytes);
    if (next === undefined) break;
    sector = next;
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

// Follows the file allocation table through the first 109 table sectors, which cover directories of any honest file.
function nextSector(buffer: Buffer, sector: number, sectorBytes: number): number | undefined {
  const perSector = sectorBytes / 4;
  const tableIndex = Math.floor(sector / perSector);
  if (tableIndex >= 109) return undefined;
  const tableSector = buffer.readUInt32LE(76 + 4 * tableIndex);
  const at = (tableSector + 1) * sectorBytes + 4 * (sector % perSector);
  if (at + 4 > buffer.length) return undefined;
  const next = buffer.readUInt32LE(at);
  return next < 0xfffffffa ? next : undefined;
}
