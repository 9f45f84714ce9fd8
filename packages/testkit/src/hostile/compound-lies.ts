const sectorBytes = 512;
const freeSector = 0xffffffff;
const endOfChain = 0xfffffffe;

export interface CompoundLies {
  /** The sector that follows a sector of the directory; itself by default, so that the chain has no end. */
  readonly afterDirectory?: number;
  /** How many sectors of the allocation table the header claims. */
  readonly tableSectors?: number;
  /** Where the chain of further allocation tables begins. */
  readonly moreTablesAt?: number;
  /** Name of the only stream. */
  readonly stream?: string;
  readonly streamBytes?: number;
}

/** A compound file (MS-CFB) of a header, one allocation table, and a directory with one stream, that lies about itself. */
export function makeCompound(lies: CompoundLies = {}): Buffer {
  const { afterDirectory = 1, tableSectors = 1, moreTablesAt = endOfChain, stream = "WordDocument" } = lies;
  const header = Buffer.alloc(sectorBytes, 0xff);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.fill(0, 8, 76);
  header.writeUInt16LE(0x3e, 24);
  header.writeUInt16LE(3, 26);
  header.writeUInt16LE(0xfffe, 28);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tableSectors, 44);
  header.writeUInt32LE(1, 48); // first sector of the directory
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(endOfChain, 60);
  header.writeUInt32LE(moreTablesAt, 68);
  header.writeUInt32LE(moreTablesAt === endOfChain ? 0 : 0x7fffffff, 72);
  header.writeUInt32LE(0, 76); // the allocation table is sector 0
  const table = Buffer.alloc(sectorBytes, 0xff);
  [0xfffffffd, afterDirectory, 2].forEach((next, index) => table.writeUInt32LE(next, index * 4));
  const directory = Buffer.concat([
    entry("Root Entry", { type: 5, child: 1, startsAt: endOfChain, sizeBytes: 0 }),
    entry(stream, { type: 2, child: freeSector, startsAt: 2, sizeBytes: lies.streamBytes ?? 0x7fffffff }),
    Buffer.alloc(256),
  ]);
  return Buffer.concat([header, table, directory, Buffer.alloc(sectorBytes)]);
}

interface EntryFields {
  readonly type: number;
  readonly child: number;
  readonly startsAt: number;
  readonly sizeBytes: number;
}

function entry(name: string, { type, child, startsAt, sizeBytes }: EntryFields): Buffer {
  const record = Buffer.alloc(128);
  record.write(name, 0, "utf16le");
  record.writeUInt16LE((name.length + 1) * 2, 64);
  record[66] = type;
  record[67] = 1;
  // Left and right siblings of a stream are itself: the tree has no end either.
  record.writeUInt32LE(type === 2 ? 1 : freeSector, 68);
  record.writeUInt32LE(type === 2 ? 1 : freeSector, 72);
  record.writeUInt32LE(child, 76);
  record.writeUInt32LE(startsAt, 116);
  record.writeUInt32LE(sizeBytes, 120);
  return record;
}
