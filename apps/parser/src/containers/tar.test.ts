import { makeTar } from "@attune/testkit/make-tar.ts";
import { expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { readTar } from "./tar.ts";

const read = (bytes: Uint8Array, limits = {}) => readTar(bytes, new Budget({ ...defaultLimits, ...limits }));

test("files, folders and links are told apart, long names are put together", () => {
  const long = `${"deep/".repeat(40)}file.txt`;
  const entries = read(
    makeTar([
      { name: "a.txt", bytes: "one" },
      { name: "folder/", bytes: "", type: "5" },
      { name: "link", bytes: "", type: "2" },
      { name: "././@LongLink", bytes: `${long}\0`, type: "L" },
      { name: long.slice(0, 99), bytes: "two" },
      { name: "pax", bytes: `${String(long.length + 10)} path=${long}\n`, type: "x" },
      { name: "short", bytes: "three" },
    ]),
  );

  expect(entries.map(({ name, kind, bytes }) => [name, kind, Buffer.from(bytes).toString()])).toEqual([
    ["a.txt", "file", "one"],
    ["folder/", "directory", ""],
    ["link", "other", ""],
    [long, "file", "two"],
    [long, "file", "three"],
  ]);
});

test("a wrong checksum, a cut and a size that lies are refused", () => {
  const whole = makeTar([{ name: "a", bytes: "x".repeat(2000) }]);
  const flipped = Buffer.from(whole);
  flipped[0] = 0x62;

  expect(() => read(flipped)).toThrow(/^DOCUMENT_CORRUPT.*checksum/);
  expect(() => read(whole.subarray(0, 1024))).toThrow(/^DOCUMENT_CORRUPT.*cut off/);
  expect(() => read(makeTar([{ name: "a", bytes: "x", statedSizeBytes: 2 ** 32 }]))).toThrow(/^DOCUMENT_CORRUPT/);
});

test("more members than allowed are refused", () => {
  const members = Array.from({ length: 11 }, (_, index) => ({ name: `${index}`, bytes: "" }));
  expect(() => read(makeTar(members), { maxArchiveEntries: 10 })).toThrow(/^LIMIT_EXCEEDED/);
});
