import { createDecipheriv } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import { hwpTag } from "./hwp-records.ts";

const seedBytes = 256;
const recordHeaderBytes = 4;
const keyBytes = 16;

/**
 * The stream behind the record that a section of a document for distribution begins with. Its key stands in that record,
 * mixed with numbers that follow from its first four bytes (Hancom, “distribution documents”, revision 1.2).
 */
export function openDistributed(stream: Buffer): Buffer {
  const from = recordHeaderBytes + seedBytes;
  const tag = stream.length < from ? 0 : stream.readUInt32LE(0) & 0x3ff;
  if (tag !== hwpTag.distribution)
    throw new AppError("DOCUMENT_CORRUPT", { detail: "A section of it lacks the key to its text." });
  const mixed = unmix(stream.subarray(recordHeaderBytes, from));
  const keyAt = 4 + (mixed.readUInt32LE(0) & 0x0f);
  const body = stream.subarray(from);
  const decipher = createDecipheriv("aes-128-ecb", mixed.subarray(keyAt, keyAt + keyBytes), null);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(body.subarray(0, body.length - (body.length % keyBytes))), decipher.final()]);
}

// The generator of Microsoft's C library: one number says what to mix in, the next one for how many bytes.
function unmix(bytes: Buffer): Buffer {
  const output = Buffer.from(bytes);
  let state = bytes.readUInt32LE(0);
  const next = (): number => {
    state = (Math.imul(state, 214_013) + 2_531_011) >>> 0;
    return (state >>> 16) & 0x7fff;
  };
  for (let at = 0, left = 0, value = 0; at < output.length; at++, left--) {
    if (left === 0) {
      value = next() & 0xff;
      left = (next() & 0x0f) + 1;
    }
    if (at >= 4) output[at] = (output[at] ?? 0) ^ value;
  }
  return output;
}
