import { crc32, deflateRawSync } from "node:zlib";

/** One member; what is not given is what an honest archive would say. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: Uint8Array | string;
  readonly method?: number;
  /** Lies for the central directory. */
  readonly statedSizeBytes?: number;
  readonly statedCrc?: number;
  readonly flags?: number;
  /** A name for the local header that differs from the directory's. */
  readonly localName?: string;
  /** Points at the data of an earlier member (by index) instead of bringing its own. */
  readonly sharesDataOf?: number;
  /** Bytes already compressed, used as they are. */
  readonly packed?: Uint8Array;
}

/** A ZIP archive, honest or not, for tests. */
export function makeZip(members: readonly ZipMember[], comment = ""): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const member of members) {
    const record = describe(member);
    if (member.sharesDataOf === undefined) {
      offsets.push(at);
      const local = localRecord(member, record);
      locals.push(local);
      at += local.length;
    } else offsets.push(offsets[member.sharesDataOf] ?? 0);
    directory.push(directoryRecord(member, record, offsets.at(-1) ?? 0));
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([...locals, central, endRecord(members.length, { at, bytes: central.length, comment })]);
}

interface Described {
  readonly packed: Uint8Array;
  readonly method: number;
  readonly crc: number;
  readonly sizeBytes: number;
}

function describe({ bytes, method = 8, packed }: ZipMember): Described {
  const raw = Buffer.from(bytes as Uint8Array);
  return {
    packed: packed ?? (method === 8 ? deflateRawSync(raw) : raw),
    method,
    crc: crc32(raw),
    sizeBytes: raw.length,
  };
}

function localRecord(
  { name, localName = name, flags = 0x800 }: ZipMember,
  { packed, method, crc, sizeBytes }: Described,
): Buffer {
  const nameBytes = Buffer.from(localName);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(sizeBytes, 22);
  header.writeUInt16LE(nameBytes.length, 26);
  return Buffer.concat([header, nameBytes, packed]);
}

function directoryRecord(member: ZipMember, { packed, method, crc, sizeBytes }: Described, offset: number): Buffer {
  const nameBytes = Buffer.from(member.name);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(member.flags ?? 0x800, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(member.statedCrc ?? crc, 16);
  header.writeUInt32LE(packed.length, 20);
  header.writeUInt32LE(member.statedSizeBytes ?? sizeBytes, 24);
  header.writeUInt16LE(nameBytes.length, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, nameBytes]);
}

interface DirectoryPlace {
  readonly at: number;
  readonly bytes: number;
  readonly comment: string;
}

function endRecord(count: number, { at, bytes, comment }: DirectoryPlace): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([end, Buffer.from(comment)]);
}
