import { freeMemory } from "@attune/service-kit/free-memory.ts";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

// Small enough to be read for one page, large enough that a version is a few thousand of them.
const maxRows = 200;
const maxCharacters = 256 * 1024;

/** The texts of rows as a compressed JSON array of strings. */
export function packRows(texts: readonly string[]): Buffer {
  const text = Buffer.from(JSON.stringify(texts));
  const packed = zstdCompressSync(text);
  freeMemory(text);
  return packed;
}

export function unpackRows(rows: Buffer): string[] {
  const text = zstdDecompressSync(rows);
  const texts = JSON.parse(text.toString("utf8")) as string[];
  freeMemory(text);
  return texts;
}

/** Whether a group of rows is large enough to become a chunk. */
export const isFullChunk = (rowCount: number, characters: number): boolean =>
  rowCount >= maxRows || characters >= maxCharacters;
