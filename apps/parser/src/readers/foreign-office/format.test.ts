import { makeCompoundTree } from "@attune/testkit/make-compound-tree.ts";
import { makeZip } from "@attune/testkit/make-zip.ts";
import { expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import * as formatModules from "../../formats.ts";

const detect = (bytes: Uint8Array, fileName = "a.bin") =>
  detectFormat(createProbe(bytes), { fileName }, Object.values(formatModules))?.format;
const compound = (...names: readonly string[]): Buffer =>
  makeCompoundTree(names.map((name) => [name, Buffer.alloc(1)]));

test.each([
  ["vsd", compound("VisioDocument")],
  ["pub", compound("Quill/QuillSub/CONTENTS", "Contents")],
  ["wps", compound("MatOST", "MM")],
  ["wpd", Buffer.from("ff575043950406000001", "hex")],
  ["onenote", Buffer.from("e4525c7b8cd8a74daeb15378d02996d3", "hex")],
  ["hwp3", Buffer.from("HWP Document File V3.00 \u001a\u0001\u0002", "latin1")],
])("a file of %s is told by its bytes, and what to do with it is known", (name, bytes) => {
  const format = detect(bytes);

  expect(format?.name).toBe(name);
  expect(format?.remedy).toMatch(/^Open it in .*\.$/);
});

test("Works of 2000 and later is told by the name of the file, for its streams say little", () => {
  expect(detect(compound("CONTENTS"), "letter.wps")?.name).toBe("wps");
});

test.each(["sxw", "sxc", "sxi", "sxd"])("StarOffice packed without its media type is %s by its name", (extension) => {
  const bytes = makeZip([
    { name: "content.xml", bytes: "<a/>" },
    { name: "META-INF/manifest.xml", bytes: "<a/>" },
  ]);

  expect(detect(bytes, `a.${extension}`)?.name).toBe(extension);
});

test.each([
  ["pages", "Index/Document.iwa", "a.pages"],
  ["numbers", "Index.zip", "a.numbers"],
  ["keynote", "Presentation.key/Index.zip", "a.key"],
  ["keynote", "Index/Slide-1.iwa", "a.bin"],
  ["pages09", "index.xml", "a.pages"],
  ["numbers09", "index.xml.gz", "a.numbers"],
  ["keynote09", "index.apxl", "a.bin"],
])("Apple's %s with %s, named %s", (name, member, fileName) => {
  const members = [member, ...(member.includes("Slide") ? ["Index/Document.iwa"] : [])];
  const bytes = makeZip(members.map((path) => ({ name: path, bytes: "x" })));

  expect(detect(bytes, fileName)?.name).toBe(name);
});
