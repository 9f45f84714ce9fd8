import { openOfficeRc4 } from "../../containers/office-rc4.ts";
import type { Fib } from "./fib.ts";
import { openObfuscation } from "./xor-obfuscation.ts";

export interface WordStreams {
  readonly main: Buffer;
  readonly table: Buffer;
  readonly data: Buffer;
}

/** Bytes at the beginning of the main stream that are never encrypted ([MS-DOC] 2.2.6). */
const clearBytes97 = 0x44;
const clearBytes6 = 0x34;
const blockBytes = 512;

/**
 * The streams of a document without its encryption: XOR obfuscation, RC4, or RC4 CryptoAPI.
 * @throws AppError `PASSWORD_REQUIRED`, `PASSWORD_WRONG`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`.
 */
export function decryptStreams(
  { main, table, data }: WordStreams,
  fib: Fib,
  password: string | undefined,
): WordStreams {
  if (fib.isWord6) {
    const opened = withClear(main, clearBytes6, openObfuscation(fib.key, password));
    return { main: opened, table: opened, data: opened };
  }
  if (fib.isObfuscated) {
    const decrypt = openObfuscation(fib.key, password);
    return { main: withClear(main, clearBytes97, decrypt), table: decrypt(table), data: decrypt(data) };
  }
  // The header of the encryption stands in clear at the beginning of the table stream, and `key` is its size.
  const decryptBlock = openOfficeRc4(table.subarray(0, fib.key), password);
  const decrypt = (bytes: Buffer): Buffer => {
    const blocks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += blockBytes) {
      blocks.push(decryptBlock(bytes.subarray(at, at + blockBytes), at / blockBytes));
    }
    return Buffer.concat(blocks);
  };
  return {
    main: withClear(main, clearBytes97, decrypt),
    table: withClear(table, fib.key, decrypt),
    data: decrypt(data),
  };
}

function withClear(bytes: Buffer, clearBytes: number, decrypt: (bytes: Buffer) => Buffer): Buffer {
  const opened = decrypt(bytes);
  bytes.copy(opened, 0, 0, Math.min(clearBytes, bytes.length));
  return opened;
}
