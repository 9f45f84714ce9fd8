import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";
import { decodeText } from "../text/decode-text.ts";

export interface TarEntry {
  readonly name: string;
  /** Links, devices and sparse files have no bytes that could be read. */
  readonly kind: "file" | "directory" | "other";
  /** A view into the archive, not a copy. */
  readonly bytes: Uint8Array;
}

const blockBytes = 512;
const maxNameBytes = 64 * 1024;

/**
 * The members of a TAR archive in order: ustar (POSIX.1-1988), pax (POSIX.1-2001) and GNU long names.
 * @throws AppError `DOCUMENT_CORRUPT` for a header whose checksum is wrong or a member that is cut off, `LIMIT_EXCEEDED`.
 */
export function readTar(bytes: Uint8Array, budget: Budget): readonly TarEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + blockBytes <= buffer.length && !isZero(buffer, at);) {
    const header = readHeader(buffer.subarray(at, at + blockBytes));
    const dataAt = at + blockBytes;
    if (dataAt + header.sizeBytes > buffer.length) throw corrupt("A member is cut off.");
    const content = buffer.subarray(dataAt, dataAt + header.sizeBytes);
    at = dataAt + Math.ceil(header.sizeBytes / blockBytes) * blockBytes;
    const given = longNameOf(header.type, content);
    if (given !== undefined) {
      longName = given === "" ? longName : given;
      continue;
    }
    budget.takeEntries(1);
    entries.push({ name: longName ?? header.name, kind: kindOf(header), bytes: content });
    longName = undefined;
  }
  return entries;
}

interface TarHeader {
  readonly name: string;
  readonly sizeBytes: number;
  readonly type: string;
}

function isZero(buffer: Buffer, at: number): boolean {
  return buffer.subarray(at, at + blockBytes).every((byte) => byte === 0);
}

function readHeader(block: Buffer): TarHeader {
  if (!hasTarChecksum(block)) throw corrupt("A header does not match its checksum.");
  const isUstar = block.toString("latin1", 257, 262) === "ustar";
  const prefix = isUstar && block[263] === 0x30 ? textOf(block.subarray(345, 500)) : "";
  const name = textOf(block.subarray(0, 100));
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    sizeBytes: sizeOf(block.subarray(124, 136)),
    type: String.fromCharCode(block[156] ?? 0),
  };
}

/** Whether a block of 512 bytes is a TAR header: the octal sum of its bytes, its own field counted as spaces. */
export function hasTarChecksum(block: Uint8Array): boolean {
  const stated = Number.parseInt(
    Buffer.from(block.subarray(148, 156)).toString("latin1").replace(/\0/g, " ").trim(),
    8,
  );
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at++) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return block.length >= blockBytes && sum === stated;
}

// Octal digits, or with the highest bit set a binary number (GNU).
function sizeOf(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(4));
  const digits = field.toString("latin1").replace(/\0.*$/s, "").trim();
  const size = digits === "" ? 0 : Number.parseInt(digits, 8);
  if (!Number.isSafeInteger(size) || size < 0) throw corrupt("A header has no size.");
  return size;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return decodeText(end === -1 ? field : field.subarray(0, end)).text;
}

// GNU `L`, or the path of a pax header `x`; an empty string for headers that name nothing.
function longNameOf(type: string, content: Buffer): string | undefined {
  if (type === "L") return textOf(content.subarray(0, maxNameBytes));
  if (type === "x") return paxPath(content.subarray(0, maxNameBytes));
  return type === "g" || type === "K" ? "" : undefined;
}

// Records of a pax header: `LENGTH KEY=VALUE\n`.
function paxPath(content: Buffer): string {
  for (let at = 0; at < content.length;) {
    const length = Number.parseInt(content.toString("latin1", at, at + 12), 10);
    if (!(length > 0)) return "";
    const record = content.toString("utf8", at, at + length);
    const path = /^\d+ path=(.*)\n$/s.exec(record)?.[1];
    if (path !== undefined) return path;
    at += length;
  }
  return "";
}

function kindOf({ type, name }: TarHeader): TarEntry["kind"] {
  if (type === "5" || name.endsWith("/")) return "directory";
  return type === "0" || type === "\0" || type === "7" ? "file" : "other";
}

function corrupt(detail: string): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: `Its TAR archive cannot be read: ${detail}` });
}
