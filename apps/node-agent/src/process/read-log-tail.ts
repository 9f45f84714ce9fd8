import { type FileHandle, open } from "node:fs/promises";
import { maskSecrets, plainText } from "./mask-secrets.ts";

const blockBytes = 64 * 1024;
/** What is read at most, however few lines stand in it. */
const maxScanBytes = 8 * 1024 * 1024;
const maxLineBytes = 4096;

export interface TailRequest {
  readonly lines: number;
  /** Values to mask, beside what looks like a secret. */
  readonly secrets?: readonly string[];
}

/**
 * The last lines of a log: read backwards in blocks, ended by LF or CR, without escape sequences and control characters,
 * secrets masked, cut at 4 KiB, damaged UTF-8 replaced. A log that is not there has none.
 */
export async function readLogTail(path: string, { lines, secrets = [] }: TailRequest): Promise<readonly string[]> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return [];
  try {
    const found = splitLog(await readEnd(file, lines));
    return found.slice(Math.max(0, found.length - lines)).map((line) => cleanLogLine(line, secrets));
  } finally {
    await file.close();
  }
}

/** The end of the file with at least so many lines, or all that may be read. */
async function readEnd(file: FileHandle, lines: number): Promise<Buffer> {
  const { size } = await file.stat();
  const blocks: Buffer[] = [];
  let start = size;
  let ends = 0;
  while (start > 0 && size - start < maxScanBytes && ends <= lines) {
    const length = Math.min(blockBytes, start);
    const block = Buffer.alloc(length);
    const { bytesRead } = await file.read(block, 0, length, start - length);
    start -= length;
    blocks.unshift(block.subarray(0, bytesRead));
    ends += countLines(block);
  }
  return Buffer.concat(blocks);
}

/** Lines with something in them that end in the block; what was left out of a long log reads as zeros. */
function countLines(block: Buffer): number {
  let count = 0;
  let isEmpty = true;
  for (const byte of block) {
    if (byte === lineFeed || byte === carriageReturn) {
      if (!isEmpty || byte === lineFeed) count++;
      isEmpty = true;
    } else isEmpty = false;
  }
  return count;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Lines of a log. A progress bar ends its states with CR, of which the empty ones are none. */
export function splitLog(bytes: Buffer): readonly string[] {
  const parts = bytes
    .toString("utf8")
    .replaceAll("\0", "")
    .replaceAll("\r\n", "\n")
    .split(/(?<=[\n\r])/);
  return parts.filter((part) => part !== "\r" && part !== "").map((part) => part.replace(/[\n\r]$/, ""));
}

/** One line as people may read it. */
export function cleanLogLine(line: string, secrets: readonly string[] = []): string {
  return cutLine(maskSecrets(cutLine(plainText(line), 4 * maxLineBytes), secrets), maxLineBytes);
}

function cutLine(line: string, maxBytes: number): string {
  if (line.length <= maxBytes / 4 || Buffer.byteLength(line) <= maxBytes) return line;
  const room = maxBytes - Buffer.byteLength("…");
  // A sequence that is cut in the middle decodes to replacement characters, which are not the log's.
  return `${Buffer.from(line)
    .subarray(0, room)
    .toString("utf8")
    .replace(/\uFFFD+$/, "")}…`;
}
