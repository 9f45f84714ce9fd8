import { createCipheriv } from "node:crypto";
import { expect, test } from "vitest";
import { record } from "./hwp.fixture.ts";
import { hwpTag } from "./hwp-records.ts";
import { openDistributed } from "./open-distributed.ts";

/** The numbers of `rand` of Microsoft's C library, as its documentation has them for a seed of 1: 41, 18467, 6334 … */
function* numbersFrom(seed: number): Generator<number, never> {
  for (let state = BigInt(seed); ;) {
    state = (state * 214_013n + 2_531_011n) & 0xffff_ffffn;
    yield Number((state >> 16n) & 0x7fffn);
  }
}

function mix(block: Buffer): Buffer {
  const mixed = Buffer.from(block);
  const numbers = numbersFrom(block.readUInt32LE(0));
  let [value, left] = [0, 0];
  for (let at = 0; at < mixed.length; at++) {
    if (left === 0) [value, left] = [numbers.next().value & 0xff, (numbers.next().value & 0x0f) + 1];
    if (at >= 4) mixed[at] = (mixed[at] ?? 0) ^ value;
    left--;
  }
  return mixed;
}

test("the generator is the one that is meant", () => {
  const numbers = numbersFrom(1);

  expect([numbers.next().value, numbers.next().value, numbers.next().value]).toEqual([41, 18467, 6334]);
});

test.each([1, 0x1234_5678, 0xffff_ffff])(
  "a stream is decrypted with the key that its first record hides (%d)",
  (seed) => {
    const plain = Buffer.alloc(256, "key material of this very document; ");
    plain.writeUInt32LE(seed, 0);
    const keyAt = 4 + (seed & 0x0f);
    const cipher = createCipheriv("aes-128-ecb", plain.subarray(keyAt, keyAt + 16), null);
    cipher.setAutoPadding(false);
    const text = Buffer.alloc(64, "the text of the section");
    const stream = Buffer.concat([record(hwpTag.distribution, 0, mix(plain)), cipher.update(text), cipher.final()]);

    expect(openDistributed(stream)).toEqual(text);
  },
);
