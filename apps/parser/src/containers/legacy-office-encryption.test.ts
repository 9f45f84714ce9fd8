import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { expect, test } from "vitest";
import { isEncryptedLegacyOffice } from "./legacy-office-encryption.ts";

function stream(...fields: readonly (readonly [at: number, value: number, bytes: 2 | 4])[]): Buffer {
  const content = Buffer.alloc(4096);
  for (const [at, value, bytes] of fields) content.writeUIntLE(value, at, bytes);
  return content;
}

const isEncrypted = (name: string, content: Buffer): boolean =>
  isEncryptedLegacyOffice(makeCompound([[name, content]]));

test("Word says in its first header whether it is encrypted", () => {
  expect(isEncrypted("WordDocument", stream([0, 0xa5ec, 2], [10, 0x13f0, 2]))).toBe(true);
  expect(isEncrypted("WordDocument", stream([0, 0xa5ec, 2], [10, 0x12f0, 2]))).toBe(false);
  expect(isEncrypted("WordDocument", stream([10, 0x13f0, 2]))).toBe(false);
});

test("PowerPoint says in the stream of its user whether it is encrypted", () => {
  expect(isEncrypted("Current User", stream([12, 0xf3d1c4df, 4]))).toBe(true);
  expect(isEncrypted("Current User", stream([12, 0xe391c05f, 4]))).toBe(false);
});

test("Excel has a record of the password before all that is encrypted", () => {
  const begin = [0, 0x0809, 2] as const;
  const size = [2, 16, 2] as const;
  expect(isEncrypted("Workbook", stream(begin, size, [20, 0x002f, 2]))).toBe(true);
  expect(isEncrypted("Workbook", stream(begin, size, [20, 0x0085, 2]))).toBe(false);
});

test("a file that is no compound file, or a damaged one, is not called encrypted", () => {
  const whole = makeCompound([["WordDocument", stream([0, 0xa5ec, 2], [10, 0x13f0, 2])]]);
  expect(isEncryptedLegacyOffice(Buffer.from("text"))).toBe(false);
  for (let length = 0; length < 1600; length += 97)
    expect(typeof isEncryptedLegacyOffice(whole.subarray(0, length))).toBe("boolean");
});
