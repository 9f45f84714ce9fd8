import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { gzipFlood, nest, packedRepetition } from "@attune/testkit/hostile/floods.ts";
import { makeTar } from "@attune/testkit/make-tar.ts";
import { makeZip, type ZipMember } from "@attune/testkit/make-zip.ts";
import { type HostileCase, testHostileFamily } from "./hostile-family.ts";

const mib = 1 << 20;
const text = "Harbour dues for the year.";
const honest: ZipMember = { name: "a.txt", bytes: text };
const noise = createHash("shake256", { outputLength: 4000 }).update("noise").digest();

const readAs = (readBecause: string, message?: RegExp) => ({
  readBecause,
  content: /Harbour dues for the year\./,
  ...(message !== undefined && { message }),
});

const wrapGzip = (inner: Buffer): Buffer => gzipSync(inner);
const otherCases: HostileCase[] = [
  {
    id: "Z8",
    what: "gzip of gzip of gzip, 20 deep",
    name: "z8.gz",
    make: () => nest(Buffer.from(text), 20, wrapGzip),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z8b",
    what: "a gzip file of 1 GiB of zeros",
    name: "z8b.gz",
    make: () => gzipFlood(1024),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z8c",
    what: "bombs in bombs: gzip of gzip of 1 GiB",
    name: "z8c.gz",
    make: () => gzipSync(gzipFlood(1024)),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z8d",
    what: "a gzip file cut off",
    name: "z8d.gz",
    make: () => gzipSync(text.repeat(99)).subarray(0, 60),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z8e",
    what: "50,000 gzip members",
    name: "z8e.gz",
    make: () => {
      const one = gzipSync("line\n");
      return Buffer.concat(Array.from({ length: 50_000 }, () => one));
    },
    expected: { readBecause: "they are one file (RFC 1952)", content: /^line/ },
  },
  {
    id: "Z8f",
    what: "a gzip file of a zip of a gzip file of a tar of a zip of text",
    name: "z8f.gz",
    make: () =>
      gzipSync(makeZip([{ name: "a.gz", bytes: gzipSync(makeTar([{ name: "b.zip", bytes: makeZip([honest]) }])) }])),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z32",
    what: "tar links, absolute names and devices",
    name: "z32.tar",
    make: () =>
      makeTar([
        { name: "link", bytes: "", type: "2" },
        { name: "hard", bytes: "", type: "1" },
        { name: "/dev/zero", bytes: "", type: "3" },
        { name: "../../a.txt", bytes: text },
      ]),
    expected: readAs("only files are read, and names are data"),
  },
  {
    id: "Z32b",
    what: "a GNU long name of 2 GiB",
    name: "z32b.tar",
    make: () => makeTar([{ name: "././@LongLink", bytes: "x", type: "L", statedSizeBytes: 2 ** 31 }, honest]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z32c",
    what: "a tar member that states 8 GiB",
    name: "z32c.tar",
    make: () => makeTar([{ ...honest, statedSizeBytes: 8 ** 11 - 1 }]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z32d",
    what: "a sparse file of GNU tar",
    name: "z32d.tar",
    make: () => makeTar([{ name: "sparse.txt", bytes: text, type: "S" }, honest]),
    expected: readAs("the honest member is read"),
  },
  {
    id: "Z32e",
    what: "a tar of 12,000 members",
    name: "z32e.tar",
    make: () => makeTar(Array.from({ length: 12_000 }, (_, index) => ({ name: `${index}`, bytes: "" }))),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z32f",
    what: "a tar bomb in gzip",
    name: "z32f.tar.gz",
    make: () =>
      gzipSync(
        Buffer.concat([
          makeTar([{ name: "a.txt", bytes: "", statedSizeBytes: 100 * mib }]).subarray(0, 512),
          Buffer.alloc(100 * mib),
        ]),
      ),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z33",
    what: "xz that is damaged",
    name: "z33.xz",
    make: () => Buffer.concat([Buffer.from("fd377a585a00000004", "hex"), Buffer.alloc(100)]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z33b",
    what: "Zstandard that is damaged",
    name: "z33b.zst",
    make: () => Buffer.concat([Buffer.from("28b52ffd", "hex"), Buffer.alloc(100, 7)]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z33c",
    what: "bzip2 that is damaged",
    name: "z33c.bz2",
    make: () => Buffer.concat([Buffer.from("BZh91AY&SY"), noise]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z33d",
    what: "7-Zip",
    name: "z33d.7z",
    make: () => Buffer.concat([Buffer.from("377abcaf271c0004", "hex"), Buffer.alloc(100, 0xff)]),
    expected: "UNSUPPORTED_FILE_TYPE",
  },
  {
    id: "Z33e",
    what: "a Zstandard bomb of two thousand frames",
    name: "z33e.zst",
    make: () => Buffer.concat(Array.from({ length: 2000 }, () => zstdCompressSync(Buffer.alloc(mib)))),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z34",
    what: "a member whose text explodes in the answer",
    name: "z34.zip",
    make: () =>
      makeZip([
        {
          name: "a.txt",
          bytes: Buffer.alloc(40 * mib, "harbour "),
          packed: packedRepetition(Buffer.alloc(mib, "harbour "), 40),
        },
      ]),
    expected: "OUTPUT_TOO_LARGE",
  },
];

// A gzip file that expands to itself cannot be generated in a few lines; Tika's is used where the corpus is at hand.
const quinePath = join(import.meta.dirname, "../../../shared/corpus/tika/quine.gz");
const quine: HostileCase = {
  id: "Z8g",
  what: "a gzip file that expands to itself",
  name: "z8g.gz",
  make: () => readFileSync(quinePath),
  expected: "LIMIT_EXCEEDED",
};
if (!existsSync(quinePath)) console.log("The gzip file that expands to itself needs the corpus and is skipped.");

testHostileFamily({ family: "other archives" }, existsSync(quinePath) ? [...otherCases, quine] : otherCases);
