import type { Format } from "../format.ts";

/*
 * Single files under a stream compressor. What they hold is read as what it is; TAR archives inside are read too.
 */

const startsWith =
  (...signatures: readonly (readonly number[])[]): NonNullable<Format["sniff"]> =>
  ({ head }) =>
    signatures.some((signature) => signature.every((byte, index) => head[index] === byte)) ? 1 : 0;

export const gzip: Format = {
  name: "gz",
  description: "File compressed with gzip; TAR archives inside are read",
  extensions: ["gz", "tgz", "tar.gz", "gzip"],
  mediaTypes: ["application/gzip", "application/x-gzip", "application/x-tgz"],
  sniff: startsWith([0x1f, 0x8b, 8]),
  load: async () => (await import("./read-gzip.ts")).readGzip,
};

export const bzip2: Format = {
  name: "bz2",
  description: "File compressed with bzip2; TAR archives inside are read",
  extensions: ["bz2", "tbz2", "tbz", "tar.bz2"],
  mediaTypes: ["application/x-bzip2", "application/bzip2"],
  // "BZh", the size of blocks, then the first block's magic number, or that of an empty file.
  sniff: ({ headLatin1 }) =>
    /^BZh[1-9]/.test(headLatin1) && (headLatin1.startsWith("1AY&SY", 4) || headLatin1.startsWith("\x17rE8P\x90", 4))
      ? 1
      : 0,
  load: async () => (await import("./read-bzip2.ts")).readBzip2,
};

export const xz: Format = {
  name: "xz",
  description: "File compressed with xz; TAR archives inside are read",
  extensions: ["xz", "txz", "tar.xz"],
  mediaTypes: ["application/x-xz"],
  sniff: startsWith([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
  load: async () => (await import("./read-xz.ts")).readXz,
};

export const zstandard: Format = {
  name: "zst",
  description: "File compressed with Zstandard; TAR archives inside are read",
  extensions: ["zst", "tzst", "tar.zst"],
  mediaTypes: ["application/zstd"],
  // A frame, or one that holds notes of a program before it (RFC 8878 §3.1.2).
  sniff: ({ headLatin1 }) =>
    headLatin1.startsWith("\x28\xb5\x2f\xfd") || (/^[P-_]/.test(headLatin1) && headLatin1.startsWith("\x2a\x4d\x18", 1))
      ? 1
      : 0,
  load: async () => (await import("./read-zstandard.ts")).readZstandard,
};
