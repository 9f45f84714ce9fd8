import { makeZip } from "@attune/testkit/make-zip.ts";
import { expect, test } from "vitest";
import type { ReadOptions } from "../readers/reader.ts";
import { Budget } from "../limits/budget.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { readSource } from "./read-source.ts";

const options: ReadOptions = { pages: [], headersFooters: "drop", images: "placeholder" };

function read(format: string, bytes: Uint8Array | string, limits = {}) {
  const input = { bytes: Buffer.from(bytes as Uint8Array), fileName: `file.${format}`, format };
  return readSource(input, options, new Budget({ ...defaultLimits, ...limits }));
}

const nested = (depth: number): Buffer =>
  depth === 0
    ? Buffer.from("innermost")
    : makeZip([{ name: depth === 1 ? "a.txt" : "a.zip", bytes: nested(depth - 1) }]);

test("files inside files are read to the depth allowed, and a deeper one is named", async () => {
  const { document, warnings } = await read(
    "zip",
    makeZip([
      { name: "deep.zip", bytes: nested(2) },
      { name: "b.txt", bytes: "text" },
    ]),
    {
      maxArchiveDepth: 1,
    },
  );

  expect(JSON.stringify(document)).toContain("text");
  expect(warnings.join()).toBe("1 of 2 files in the archive were not read: deep.zip (LIMIT_EXCEEDED).");
});

test("text of the document itself is no file inside it", async () => {
  const { document } = await read("md", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\n", {
    maxArchiveDepth: 0,
  });
  expect(document.blocks[0]).toMatchObject({ type: "table" });
});

test("a warning of a file inside tells its name", async () => {
  const { warnings } = await read(
    "zip",
    makeZip([
      { name: "data/bad.json", bytes: "{ nothing" },
      { name: "b.txt", bytes: "text" },
    ]),
  );
  expect(warnings.join()).toMatch(/^bad\.json: /);
});

test("a reader that trips says that the document is damaged, not how", async () => {
  await expect(read("docx", "PK\x03\x04 no archive")).rejects.toThrow(/^DOCUMENT_CORRUPT/);
});

test("a format without a reader is not supported", async () => {
  await expect(read("onenote", "text")).rejects.toThrow(/^UNSUPPORTED_FILE_TYPE/);
});
