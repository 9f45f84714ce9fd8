import { AppError } from "@attune/service-kit/app-error.ts";
import type { Budget } from "../limits/budget.ts";

const headerBytes = 16;
const compressed = 0x75465a4c;
const uncompressed = 0x414c454d;
const windowBytes = 4096;

/** What the window holds at the start ([MS-OXRTFCP] 2.1.2.1). */
const initial = Buffer.from(
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor " +
    "MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u" +
    "\\tab\\tx",
  "latin1",
);

/**
 * Expands the RTF of an item ([MS-OXRTFCP]).
 * @throws AppError `DOCUMENT_CORRUPT`; `LIMIT_EXCEEDED` when it expands beyond the budget.
 */
export function decompressRtf(bytes: Uint8Array, budget: Budget): Buffer {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (input.length < headerBytes) throw corrupt();
  const type = input.readUInt32LE(8);
  if (type === uncompressed) return input.subarray(headerBytes);
  if (type !== compressed) throw corrupt();
  // A reference of two bytes stands for at most 17, and a control byte for eight of them.
  const rawBytes = Math.min(input.readUInt32LE(4), input.length * 9);
  budget.takeExpandedBytes(rawBytes);
  return expand(input, Buffer.alloc(rawBytes));
}

function expand(input: Buffer, output: Buffer): Buffer {
  const window = Buffer.alloc(windowBytes, 0x20);
  initial.copy(window);
  let writeAt = initial.length;
  let length = 0;
  const put = (byte: number): void => {
    if (length < output.length) output[length++] = byte;
    window[writeAt] = byte;
    writeAt = (writeAt + 1) % windowBytes;
  };
  let at = headerBytes;
  while (at < input.length && length < output.length) {
    const control = input[at++] as number;
    for (let bit = 0; bit < 8 && at < input.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(input[at++] as number);
        continue;
      }
      const token = ((input[at] as number) << 8) | (input[at + 1] ?? 0);
      at += 2;
      const from = token >> 4;
      if (from === writeAt) return output.subarray(0, length);
      for (let offset = 0; offset < (token & 15) + 2; offset++) put(window[(from + offset) % windowBytes] as number);
    }
  }
  return output.subarray(0, length);
}

function corrupt(): AppError {
  return new AppError("DOCUMENT_CORRUPT", { detail: "Its formatted text is not compressed RTF." });
}
