import { makeCompound } from "@attune/testkit/make-encrypted-package.ts";
import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import * as formatModules from "../../formats.ts";

const content = Buffer.alloc(4096);
const nameOf = (...streams: readonly string[]): string | undefined =>
  detectFormat(
    createProbe(makeCompound(streams.map((name) => [name, content]))),
    { fileName: "a.docx" },
    Object.values(formatModules),
  )?.format.name;

test("a compound file with the stream of Word is a Word document, whatever its name", () => {
  expect(nameOf("WordDocument", "1Table")).toBe("doc");
});

test.each(["letter.wps", "letter.wpt", "letter.dot", "letter"])(
  "so is %s, whose name says something else",
  (fileName) => {
    const bytes = makeCompound([
      ["WordDocument", content],
      ["0Table", content],
    ]);
    expect(detectFormat(createProbe(bytes), { fileName }, Object.values(formatModules))?.format.name).toBe("doc");
  },
);

test("files of Word 2 are Word documents too, without a compound file", () => {
  const bytes = Buffer.alloc(600);
  bytes.writeUInt32LE(0x002da5db, 0);
  expect(detectFormat(createProbe(bytes), { fileName: "" }, Object.values(formatModules))?.format.name).toBe("doc");
});

test("an encrypted package is one even when it holds an empty old document beside", () => {
  expect(nameOf("WordDocument", "EncryptedPackage", "EncryptionInfo")).toBe("ooxml-encrypted");
});
