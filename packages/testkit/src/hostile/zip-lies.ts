import { crc32 } from "node:zlib";
import { makeZip, type ZipMember } from "../make-zip.ts";

const localHeaderBytes = 30;
const directoryHeaderBytes = 46;
const endBytes = 22;

interface EndLies {
  readonly entries?: number;
  readonly directoryBytes?: number;
  readonly directoryAt?: number;
}

/** An archive without comment whose end record says other than what is there. */
export function withEndRecord(zip: Buffer, lies: EndLies): Buffer {
  const changed = Buffer.from(zip);
  const endAt = changed.length - endBytes;
  if (lies.entries !== undefined) {
    changed.writeUInt16LE(lies.entries, endAt + 8);
    changed.writeUInt16LE(lies.entries, endAt + 10);
  }
  if (lies.directoryBytes !== undefined) changed.writeUInt32LE(lies.directoryBytes, endAt + 12);
  if (lies.directoryAt !== undefined) changed.writeUInt32LE(lies.directoryAt, endAt + 16);
  return changed;
}

/** An archive whose first member has this Unix mode (`0o120777`: a symbolic link). */
export function withMode(zip: Buffer, mode: number): Buffer {
  const changed = Buffer.from(zip);
  const at = changed.readUInt32LE(changed.length - endBytes + 16);
  changed.writeUInt16LE((3 << 8) | 30, at + 4); // made by Unix
  changed.writeUInt32LE((mode << 16) >>> 0, at + 38);
  return changed;
}

/** 42 bytes whose ZIP64 locator points at 2^60. */
export function farZip64(): Buffer {
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(2n ** 60n, 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(endBytes, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([locator, end]);
}

/** An archive that begins with `locals` and whose ZIP64 directory, of which there is nothing, claims this many members. */
export function countlessZip64(locals: Buffer, entries: bigint): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(entries, 24);
  record.writeBigUInt64LE(entries, 32);
  record.writeBigUInt64LE(entries * 46n, 40);
  record.writeBigUInt64LE(BigInt(locals.length), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(locals.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(endBytes, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([locals, record, locator, end]);
}

/** Members that all share the data of the first, each with a name of its own: full overlap. */
export function overlappingZip(members: number, first: ZipMember): Buffer {
  const others = Array.from({ length: members - 1 }, (_, index) => ({
    ...first,
    name: `${index}.txt`,
    sharesDataOf: 0,
  }));
  return makeZip([first, ...others]);
}

/**
 * Members each of whose data begins with the local headers of all that follow, quoted in a stored block, and ends in one
 * shared kernel (David Fifield, "A better zip bomb", 2019): quadratic expansion without sharing a header.
 */
export function quotedOverlapZip(
  members: number,
  kernel: { readonly packed: Buffer; readonly sizeBytes: number },
): Buffer {
  const names = Array.from({ length: members }, (_, index) => Buffer.from(`${String(index).padStart(5, "0")}.txt`));
  const headerBytes = localHeaderBytes + (names[0]?.length ?? 0);
  // From the last member to the first: each is a quote of the next local header, then the next member's data.
  let tail: Buffer = kernel.packed;
  let sizeBytes = kernel.sizeBytes;
  const headers: { readonly header: Buffer; readonly compressed: number; readonly size: number }[] = [];
  for (let index = members - 1; index >= 0; index--) {
    const header = localHeader(names[index] ?? Buffer.alloc(0), tail.length, sizeBytes);
    headers.unshift({ header, compressed: tail.length, size: sizeBytes });
    if (index === 0) tail = Buffer.concat([header, tail]);
    else {
      const quote = Buffer.alloc(5);
      quote.writeUInt16LE(headerBytes, 1);
      quote.writeUInt16LE(~headerBytes & 0xffff, 3);
      tail = Buffer.concat([quote, header, tail]);
      sizeBytes += headerBytes;
    }
  }
  const directory = headers.map(({ header, compressed, size }, index) =>
    directoryRecord(header, { compressed, size, at: index * (headerBytes + 5) }),
  );
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members, 8);
  end.writeUInt16LE(members, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(tail.length, 16);
  return Buffer.concat([tail, central, end]);
}

function localHeader(name: Buffer, compressed: number, size: number): Buffer {
  const header = Buffer.alloc(localHeaderBytes);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(0x800, 6);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(crc32(Buffer.alloc(0)), 14);
  header.writeUInt32LE(compressed, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function directoryRecord(
  header: Buffer,
  { compressed, size, at }: { readonly compressed: number; readonly size: number; readonly at: number },
): Buffer {
  const record = Buffer.alloc(directoryHeaderBytes);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(0x800, 8);
  record.writeUInt16LE(8, 10);
  record.writeUInt32LE(compressed, 20);
  record.writeUInt32LE(size, 24);
  record.writeUInt16LE(header.length - localHeaderBytes, 28);
  record.writeUInt32LE(at, 42);
  return Buffer.concat([record, header.subarray(localHeaderBytes)]);
}
