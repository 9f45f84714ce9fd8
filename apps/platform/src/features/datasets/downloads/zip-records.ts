/** One file of an archive; its sums are complete once its content has been written. */
export interface ZipEntry {
  /** In UTF-8. */
  readonly path: Buffer;
  readonly modifiedAt: Date;
  /** Whether its sizes are written in 64 bits, which must be known before they are. */
  readonly isZip64: boolean;
  /** Of its local header, from the beginning of the archive. */
  readonly offset: number;
  crc: number;
  sizeBytes: number;
  packedBytes: number;
}

// Sizes follow the content (bit 3), and names are UTF-8 (bit 11).
const flags = 0x0808;
const deflated = 8;
const version = (isZip64: boolean): number => (isZip64 ? 45 : 20);
const full32 = 0xffff_ffff;
const full16 = 0xffff;

/** What stands before the content of a file (APPNOTE 4.3.7). */
export function localHeader({ path, modifiedAt, isZip64 }: ZipEntry): Buffer {
  const sizes = isZip64 ? full32 : 0;
  const extra = isZip64 ? zip64Extra([0, 0]) : Buffer.alloc(0);
  return Buffer.concat([
    u32(0x0403_4b50),
    ...[version(isZip64), flags, deflated, ...dosTime(modifiedAt)].map(u16),
    ...[0, sizes, sizes].map(u32),
    ...[path.length, extra.length].map(u16),
    path,
    extra,
  ]);
}

/** What stands behind it (APPNOTE 4.3.9). */
export function descriptor({ crc, sizeBytes, packedBytes, isZip64 }: ZipEntry): Buffer {
  const size = isZip64 ? u64 : u32;
  return Buffer.concat([u32(0x0807_4b50), u32(crc), size(packedBytes), size(sizeBytes)]);
}

/** The line of the directory (APPNOTE 4.3.12). */
export function centralEntry(entry: ZipEntry): Buffer {
  const { path, modifiedAt, isZip64, offset, crc, sizeBytes, packedBytes } = entry;
  const is64 = isZip64 || offset >= full32;
  const extra = is64 ? zip64Extra([sizeBytes, packedBytes, offset]) : Buffer.alloc(0);
  return Buffer.concat([
    u32(0x0201_4b50),
    // Made on Unix, so that the mode of the file counts.
    ...[(3 << 8) | version(is64), version(is64), flags, deflated, ...dosTime(modifiedAt)].map(u16),
    ...[crc, is64 ? full32 : packedBytes, is64 ? full32 : sizeBytes].map(u32),
    ...[path.length, extra.length, 0, 0, 0].map(u16),
    u32((0o100644 << 16) >>> 0),
    u32(is64 ? full32 : offset),
    path,
    extra,
  ]);
}

interface Directory {
  readonly count: number;
  readonly sizeBytes: number;
  readonly offset: number;
}

/** The end of the archive, in 64 bits where 32 do not do (APPNOTE 4.3.14 to 4.3.16). */
export function endOfDirectory({ count, sizeBytes, offset }: Directory): Buffer {
  const is64 = count >= full16 || sizeBytes >= full32 || offset >= full32;
  const long = [
    u32(0x0606_4b50),
    u64(44),
    ...[(3 << 8) | 45, 45].map(u16),
    ...[0, 0].map(u32),
    ...[count, count, sizeBytes, offset].map(u64),
    u32(0x0706_4b50),
    u32(0),
    u64(offset + sizeBytes),
    u32(1),
  ];
  const counts = [0, 0, Math.min(count, full16), Math.min(count, full16)];
  const places = [Math.min(sizeBytes, full32), Math.min(offset, full32)];
  return Buffer.concat([...(is64 ? long : []), u32(0x0605_4b50), ...counts.map(u16), ...places.map(u32), u16(0)]);
}

const zip64Extra = (values: readonly number[]): Buffer =>
  Buffer.concat([u16(1), u16(values.length * 8), ...values.map(u64)]);

/** Time and date as DOS counts them, in UTC: from 1980 to 2107, by two seconds. */
function dosTime(moment: Date): [time: number, date: number] {
  const year = Math.min(Math.max(moment.getUTCFullYear(), 1980), 2107);
  const time = (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1);
  return [time, ((year - 1980) << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate()];
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
