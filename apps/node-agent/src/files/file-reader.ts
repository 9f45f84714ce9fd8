import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { type FileReadQuery, type FileReadView, maxReadBytes } from "@attune/contracts/compute/cache-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { findTail } from "./find-tail.ts";
import { type FileRoot, type OpenFile, openInside } from "./open-inside.ts";
import { readLogRange } from "./read-log-range.ts";
import { readRange } from "./read-range.ts";
import { toContent } from "./to-content.ts";
import { createWholeFileHashes, toVersion, type WholeFileHashes } from "./whole-file-hash.ts";

export interface FileReader {
  /**
   * A part of a file, with the size and the hash of the whole, so that whoever reads in parts sees a change between two. What
   * looks like a secret in a log comes as asterisks, as many as it has bytes.
   * @throws AppError `NODE_FILE_NOT_READABLE`, `NODE_FILE_RANGE_INVALID`; the reason of `signal`.
   */
  read(query: FileReadQuery, signal: AbortSignal): Promise<FileReadView>;
}

/** Bytes of one answer unless more are asked for. */
const defaultLength = 1024 * 1024;

export function createFileReader(roots: readonly FileRoot[]): FileReader {
  const hashes = createWholeFileHashes();
  return {
    read: async (query, signal) => {
      await using file = await openInside(query, roots);
      try {
        return await readOpen(file, { query, hashes }, signal);
      } catch (error) {
        if (error instanceof AppError || signal.aborted) throw error;
        throw new AppError("NODE_FILE_NOT_READABLE", { detail: "It is there, and reading it failed." }, error);
      }
    },
  };
}

interface Reading {
  readonly query: FileReadQuery;
  readonly hashes: WholeFileHashes;
}

async function readOpen(file: OpenFile, { query, hashes }: Reading, signal: AbortSignal): Promise<FileReadView> {
  const { handle, stats, path } = file;
  const size = Number(stats.size);
  const part = await choosePart(handle, size, query);
  const isMasked = path.endsWith(".log");
  const found = toContent(await (isMasked ? readLogRange : readRange)(handle, part));
  // That of a text with secrets says what they are to whoever can guess them.
  const sha256 = isMasked ? undefined : await hashes.find(handle, stats, signal);
  const isChanging = toVersion(await handle.stat({ bigint: true })) !== toVersion(stats);
  if (sha256 !== undefined && !isChanging) hashes.remember(stats, sha256);
  const end = part.offset + found.length;
  return {
    path,
    size_bytes: size,
    modified_at: toTime(stats),
    checksum_sha256: isChanging ? null : (sha256 ?? null),
    version: toVersion(stats),
    is_changing: isChanging,
    offset: part.offset,
    length: found.length,
    next_offset: end < size ? end : null,
    is_truncated: part.isTruncated || end < size,
    is_masked: isMasked,
    is_text: found.isText,
    encoding: found.encoding,
    content: found.content,
  };
}

interface Part {
  readonly offset: number;
  readonly length: number;
  /** Whether lines that were asked for lie before it. */
  readonly isTruncated: boolean;
}

async function choosePart(handle: FileHandle, size: number, query: FileReadQuery): Promise<Part> {
  if (query.tail_lines !== undefined)
    return findTail(handle, size, { lines: query.tail_lines, maxBytes: maxReadBytes });
  const { offset = 0, length = defaultLength } = query;
  if (offset > size) throw new AppError("NODE_FILE_RANGE_INVALID", { detail: `It has ${size} bytes.` });
  return { offset, length: Math.min(length, size - offset), isTruncated: false };
}

const toTime = ({ mtimeNs }: BigIntStats): string => new Date(Number(mtimeNs / 1_000_000n)).toISOString();
