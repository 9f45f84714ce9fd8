import { deflateRawSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import { makeZip, type ZipMember } from "@attune/testkit/make-zip.ts";
import { expect, test } from "vitest";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { openZip } from "./zip.ts";

const mib = 1 << 20;

function open(members: readonly ZipMember[], limits = {}) {
  return openZip(makeZip(members), new Budget({ ...defaultLimits, ...limits }));
}

function readAll(members: readonly ZipMember[], limits = {}): readonly string[] {
  const archive = open(members, limits);
  return [...archive.entries.keys()].map((name) => Buffer.from(archive.read(name) ?? []).toString());
}

test("members are read stored and deflated, with names as they are", () => {
  const archive = open([
    { name: "报告/a.txt", bytes: "one" },
    { name: "b\\c.txt", bytes: "two", method: 0 },
    { name: "__proto__", bytes: "three" },
    { name: "folder/", bytes: "" },
  ]);

  expect([...archive.entries.keys()]).toEqual(["报告/a.txt", "b/c.txt", "__proto__", "folder/"]);
  expect(Buffer.from(archive.read("__proto__") ?? []).toString()).toBe("three");
  expect(archive.entries.get("folder/")?.isDirectory).toBe(true);
  expect(archive.read("missing")).toBeUndefined();
});

test("names of one archive in a legacy code page are decoded together", () => {
  const gbk = Buffer.from("cac0bde7b5c4b1a8b8e62e747874", "hex"); // 世界的报告.txt
  const bytes = makeZip([{ name: "x".repeat(gbk.length), bytes: "text", flags: 0 }]);
  const renamed = Buffer.from(
    bytes.toString("latin1").replaceAll("x".repeat(gbk.length), gbk.toString("latin1")),
    "latin1",
  );

  expect([...openZip(renamed, new Budget(defaultLimits)).entries.keys()]).toEqual(["世界的报告.txt"]);
});

test("several members of one name are all kept", () => {
  expect([
    ...open([
      { name: "a", bytes: "1" },
      { name: "a", bytes: "2" },
    ]).entries.keys(),
  ]).toEqual(["a", "a (2)"]);
});

test("bytes before and after the archive do not matter", () => {
  const padded = Buffer.concat([
    Buffer.from("%PDF-1.4 prefix"),
    makeZip([{ name: "a", bytes: "text" }]),
    Buffer.from("\n"),
  ]);
  expect(Buffer.from(openZip(padded, new Budget(defaultLimits)).read("a") ?? []).toString()).toBe("text");
});

test.each<[string, readonly ZipMember[], RegExp]>([
  ["a size that lies small", [{ name: "a", bytes: "x".repeat(10_000), statedSizeBytes: 100 }], /^DOCUMENT_CORRUPT/],
  ["a size that lies large", [{ name: "a", bytes: "x", statedSizeBytes: 200 }], /^DOCUMENT_CORRUPT.*not as long/],
  ["a size that lies 4 GiB", [{ name: "a", bytes: "x", statedSizeBytes: 0xfffffffe }], /^LIMIT_EXCEEDED/],
  ["a wrong checksum", [{ name: "a", bytes: "x", statedCrc: 1 }], /^DOCUMENT_CORRUPT.*checksum/],
  ["two names of one member", [{ name: "a", bytes: "x", localName: "b" }], /^DOCUMENT_CORRUPT.*two names/],
  ["an encrypted member", [{ name: "a", bytes: "x", flags: 0x801 }], /^ENCRYPTION_UNSUPPORTED/],
  ["compression method 12", [{ name: "a", bytes: "x", method: 12 }], /^UNSUPPORTED_FILE_TYPE.*method 12/],
  ["a broken deflate stream", [{ name: "a", bytes: "x", packed: Buffer.from("ffffff", "hex") }], /^DOCUMENT_CORRUPT/],
  [
    "members that share their data",
    Array.from({ length: 1000 }, (_, index) => ({
      name: "a",
      bytes: "x".repeat(100_000),
      ...(index > 0 && { sharesDataOf: 0 }),
    })),
    /^DOCUMENT_CORRUPT.*overlap/,
  ],
])("%s is refused", (_name, members, reason) => {
  expect(() => readAll(members)).toThrow(reason);
});

test("a gibibyte of zeros is refused without being expanded", () => {
  const packed = deflateRawSync(Buffer.alloc(64 * mib));
  const before = process.memoryUsage().arrayBuffers;

  const read = () => readAll([{ name: "a", bytes: "", packed, statedSizeBytes: 1 << 30 }]);

  expect(read).toThrow(/^LIMIT_EXCEEDED.*PARSER_MAX_ENTRY_MIB/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * mib);
});

test("the budget holds over all members and archives of a document", () => {
  const members = Array.from({ length: 5 }, (_, index) => ({ name: `${index}`, bytes: Buffer.alloc(mib) }));
  expect(() => readAll(members, { maxExpandedBytes: 4 * mib })).toThrow(/^LIMIT_EXCEEDED/);
  expect(() => readAll(members, { maxArchiveEntries: 4 })).toThrow(/^LIMIT_EXCEEDED.*PARSER_MAX_ARCHIVE_ENTRIES/);
});

test("65,000 empty members are refused before they are listed", () => {
  const members = Array.from({ length: 65_000 }, (_, index) => ({ name: `${index}`, bytes: "", method: 0 }));
  expect(() => open(members)).toThrow(/^LIMIT_EXCEEDED/);
});

test("no cut or flipped byte makes anything but a clear refusal or the right text", () => {
  const whole = makeZip(
    [
      { name: "a.txt", bytes: "some text ".repeat(50) },
      { name: "b.txt", bytes: "other" },
    ],
    "comment",
  );
  const damaged = [...whole.keys()].flatMap((at) => {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    return [whole.subarray(0, at), flipped];
  });

  const failures = damaged.map(failureOf).filter((failure) => failure !== undefined);

  expect(failures.length).toBeGreaterThan(whole.length);
  expect(failures.filter((failure) => !(failure instanceof AppError))).toEqual([]);
});

function failureOf(bytes: Buffer): unknown {
  try {
    const archive = openZip(bytes, new Budget(defaultLimits));
    for (const name of archive.entries.keys()) archive.read(name);
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a 42-byte file that claims a ZIP64 directory far away is refused", () => {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(2n ** 60n, 8);
  expect(() => openZip(Buffer.concat([locator, end]), new Budget(defaultLimits))).toThrow(/^DOCUMENT_CORRUPT/);
});
