import { AppError } from "@attune/service-kit/app-error.ts";

const maxPassword = 15;
const keyBytes = 16;

/**
 * Opens the obfuscation of Word 95, and of Word 97 where no encryption was allowed ([MS-OFFCRYPTO] 2.3.7.6). `stored` is the
 * key and above it the verifier of the password.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`.
 */
export function openObfuscation(stored: number, password: string | undefined): (bytes: Buffer) => Buffer {
  if (password === undefined) throw new AppError("PASSWORD_REQUIRED");
  const characters = passwordBytes(password);
  const key = passwordKey(characters);
  if (key !== (stored & 0xffff) || passwordVerifier(characters) !== stored >>> 16) throw new AppError("PASSWORD_WRONG");
  const mask = maskOf(characters, key);
  return (bytes) => deobfuscate(bytes, mask);
}

// Characters of one byte; of those that have two, the lower one unless it is zero.
function passwordBytes(password: string): number[] {
  return Array.from({ length: Math.min(maxPassword, password.length) }, (_, index) => {
    const code = password.charCodeAt(index);
    return (code & 0xff) === 0 ? code >> 8 : code & 0xff;
  });
}

/** A step of the shift register whose states the tables of [MS-OFFCRYPTO] 2.3.7.2 list (`XorMatrix`, `InitialCode`). */
function step(state: number): number {
  const rotated = ((state << 1) | (state >> 15)) & 0xffff;
  return (rotated & 1) === 0 ? rotated : rotated ^ 0x1020;
}

/** `CreateXorKey_Method1` of [MS-OFFCRYPTO] 2.3.7.2. */
export function passwordKey(characters: readonly number[]): number {
  let key = 0;
  let base = 0x8000;
  let end = 0xffff;
  for (const character of characters.toReversed()) {
    for (let bit = 0; bit < 8; bit++) {
      base = step(base);
      end = step(end);
      if (bit < 7 && ((character >> bit) & 1) !== 0) key ^= base;
    }
  }
  return characters.length === 0 ? 0 : key ^ end;
}

/** `CreatePasswordVerifier_Method1` of [MS-OFFCRYPTO] 2.3.7.1. */
export function passwordVerifier(characters: readonly number[]): number {
  if (characters.length === 0) return 0;
  let verifier = 0;
  for (const byte of [characters.length, ...characters].toReversed()) {
    verifier = (((verifier >> 14) & 1) | ((verifier << 1) & 0x7fff)) ^ byte;
  }
  return verifier ^ 0xce4b;
}

// Fills up passwords that are shorter than the mask.
const padding = [0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe, 0x0f, 0x00, 0xbf, 0x0f, 0x00];
const rotation = 7;

function maskOf(characters: readonly number[], key: number): number[] {
  return [...characters, ...padding].slice(0, keyBytes).map((byte, index) => {
    const mixed = byte ^ (index % 2 === 0 ? key & 0xff : key >> 8);
    return ((mixed << rotation) | (mixed >> (8 - rotation))) & 0xff;
  });
}

// Bytes that are zero, or would be, are as they were.
function deobfuscate(bytes: Buffer, mask: readonly number[]): Buffer {
  return Buffer.from(
    bytes.map((byte, index) => {
      const opened = byte ^ (mask[index % keyBytes] ?? 0);
      return byte === 0 || opened === 0 ? byte : opened;
    }),
  );
}
