import { nest, packedFlood } from "@attune/testkit/hostile/floods.ts";
import {
  countlessZip64,
  farZip64,
  overlappingZip,
  quotedOverlapZip,
  withEndRecord,
  withMode,
} from "@attune/testkit/hostile/zip-lies.ts";
import { makePdf, pdfText } from "@attune/testkit/make-pdf.ts";
import { makeZip, type ZipMember } from "@attune/testkit/make-zip.ts";
import { type HostileCase, testHostileFamily } from "./hostile-family.ts";

const mib = 1 << 20;
const text = "Harbour dues for the year.";
const honest: ZipMember = { name: "a.txt", bytes: text };
const pdf = makePdf({ pages: [{ content: pdfText(text, { x: 72, y: 700 }) }] });
const honestLocal = makeZip([honest]).subarray(0, 62);
const flood = { name: "flood.txt", bytes: "", packed: packedFlood(1024) };

/** An archive whose only member has this name. */
const named = (name: string) => () => makeZip([{ name, bytes: text }]);
const readAs = (readBecause: string, message?: RegExp) => ({
  readBecause,
  content: /Harbour dues for the year\./,
  ...(message !== undefined && { message }),
});
const nameIsData = readAs("a name is data, never a path");

const zipCases: HostileCase[] = [
  {
    id: "Z1",
    what: "a zip of 1 GiB of zeros",
    name: "z1.zip",
    make: () => makeZip([{ ...flood, statedSizeBytes: 1024 * mib }]),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z1b",
    what: "a thousand members of 1 MiB each",
    name: "z1b.zip",
    make: () => {
      const packed = packedFlood(1, 0x20);
      const bytes = Buffer.alloc(mib, 0x20);
      return makeZip(Array.from({ length: 1000 }, (_, index) => ({ name: `${index}.txt`, bytes, packed })));
    },
    expected: {
      readBecause: "members up to the limit are read, the others are named",
      message: /872 of 1000.*LIMIT_EXCEEDED/,
    },
  },
  {
    id: "Z2",
    what: "a member that states 100 bytes and has 1 GiB",
    name: "z2.zip",
    make: () => makeZip([{ ...flood, statedSizeBytes: 100 }]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z3",
    what: "a member that states 4 GiB and has ten bytes",
    name: "z3.zip",
    make: () => makeZip([{ ...honest, statedSizeBytes: 0xfffffffe }]),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z4",
    what: "a wrong checksum",
    name: "z4.zip",
    make: () => makeZip([{ ...honest, statedCrc: 1 }]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z4b",
    what: "a wrong checksum beside an honest member",
    name: "z4b.zip",
    make: () => makeZip([{ ...honest, name: "bad.txt", statedCrc: 1 }, honest]),
    expected: readAs("the other member is good", /bad\.txt \(DOCUMENT_CORRUPT\)/),
  },
  {
    id: "Z5",
    what: "a thousand members sharing one",
    name: "z5.zip",
    make: () => overlappingZip(1000, honest),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z6",
    what: "quoted overlap, 1 GiB in 40 KB",
    name: "z6.zip",
    make: () => quotedOverlapZip(1000, { packed: packedFlood(1), sizeBytes: mib }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z7",
    what: "zips nested six deep, ten in each",
    name: "z7.zip",
    make: () =>
      nest(makeZip([honest]), 6, (inner) =>
        makeZip(Array.from({ length: 10 }, (_, index) => ({ name: `${index}.zip`, bytes: inner }))),
      ),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z9",
    what: "65,000 empty members",
    name: "z9.zip",
    make: () => makeZip(Array.from({ length: 65_000 }, (_, index) => ({ name: `${index}.txt`, bytes: "", method: 0 }))),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z10",
    what: "a million members claimed by ZIP64",
    name: "z10.zip",
    make: () => countlessZip64(honestLocal, 1_000_000n),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z11",
    what: "two members of one name",
    name: "z11.zip",
    make: () => makeZip([{ name: "a.txt", bytes: "First." }, honest]),
    expected: { readBecause: "both are kept", content: /First\.[^]*Harbour dues/ },
  },
  {
    id: "Z12",
    what: "names that differ in case and in normal form",
    name: "z12.zip",
    make: () =>
      makeZip([
        { name: "É.txt", bytes: "One." },
        { name: "e\u0301.txt", bytes: "Two." },
        { name: "é.TXT", bytes: text },
      ]),
    expected: { readBecause: "nothing is written to disk", content: /One\.[^]*Two\.[^]*Harbour/ },
  },
  { id: "Z13", what: "a name with ../", name: "z13.zip", make: named("../../etc/cron.d/a.txt"), expected: nameIsData },
  { id: "Z14", what: "an absolute name", name: "z14.zip", make: named("/etc/cron.d/a.txt"), expected: nameIsData },
  { id: "Z15", what: "a name with ..\\", name: "z15.zip", make: named("..\\..\\a.txt"), expected: nameIsData },
  { id: "Z16", what: "a name with a drive", name: "z16.zip", make: named("C:\\Windows\\a.txt"), expected: nameIsData },
  { id: "Z17", what: "a name with NUL", name: "z17.zip", make: named("a.exe\0.txt"), expected: nameIsData },
  {
    id: "Z18",
    what: "a name of 5,000 bytes",
    name: "z18.zip",
    make: named(`${"n".repeat(4996)}.txt`),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z19",
    what: "a name that turns the writing direction",
    name: "z19.zip",
    make: named("a\u202Etxt.exe.txt"),
    expected: nameIsData,
  },
  {
    id: "Z20",
    what: "members __proto__ and constructor",
    name: "z20.zip",
    make: () =>
      makeZip([
        { name: "__proto__", bytes: text },
        { name: "constructor", bytes: text },
      ]),
    expected: nameIsData,
  },
  {
    id: "Z21",
    what: "a symbolic link to /etc/passwd",
    name: "z21.zip",
    make: () => withMode(makeZip([{ name: "link.txt", bytes: "/etc/passwd" }, honest]), 0o120777),
    expected: { readBecause: "a link is its text, never followed", content: /Harbour/, lacks: /root:/ },
  },
  {
    id: "Z22",
    what: "a device node",
    name: "z22.zip",
    make: () => withMode(makeZip([{ ...honest, name: "zero.txt" }]), 0o020666),
    expected: readAs("its bytes are those of the archive"),
  },
  {
    id: "Z23",
    what: "local and central name differ",
    name: "z23.zip",
    make: () => makeZip([{ ...honest, localName: "b.txt" }]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z24",
    what: "65,534 members claimed, one there",
    name: "z24.zip",
    make: () => withEndRecord(makeZip([honest]), { entries: 65_534 }),
    expected: "LIMIT_EXCEEDED",
  },
  {
    id: "Z24b",
    what: "5,000 members claimed, one there",
    name: "z24b.zip",
    make: () => withEndRecord(makeZip([honest]), { entries: 5_000 }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z25",
    what: "a directory beyond the end",
    name: "z25.zip",
    make: () => withEndRecord(makeZip([honest]), { directoryAt: 0x7fffffff }),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z26",
    what: "a ZIP64 directory at 2^60",
    name: "z26.zip",
    make: () => Buffer.concat([honestLocal, farZip64()]),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z27",
    what: "a zip behind a PDF, valid as both",
    name: "z27.pdf",
    make: () => Buffer.concat([pdf, makeZip([{ name: "other.txt", bytes: "Other." }])]),
    expected: { readBecause: "it begins as PDF", content: /Harbour dues/, lacks: /Other/ },
  },
  {
    id: "Z28",
    what: "an end record inside the comment",
    name: "z28.zip",
    make: () =>
      makeZip(
        [honest],
        makeZip([{ name: "b.txt", bytes: "Other." }])
          .toString("latin1")
          .slice(0, 60),
      ),
    expected: readAs("the real end record is found"),
  },
  {
    id: "Z29",
    what: "cut off in the middle",
    name: "z29.zip",
    make: () => makeZip([{ ...honest, bytes: text.repeat(99), method: 0 }]).subarray(0, 900),
    expected: "DOCUMENT_CORRUPT",
  },
  {
    id: "Z30",
    what: "encrypted",
    name: "z30.zip",
    make: () => makeZip([{ ...honest, flags: 0x801 }]),
    expected: "ENCRYPTION_UNSUPPORTED",
  },
  ...[6, 9, 12, 14, 98].map((method) => ({
    id: `Z31-${method}`,
    what: `compression method ${method}`,
    name: `z31-${method}.zip`,
    make: () => makeZip([{ ...honest, method }]),
    expected: "UNSUPPORTED_FILE_TYPE",
  })),
];

testHostileFamily({ family: "zip archives" }, zipCases);
