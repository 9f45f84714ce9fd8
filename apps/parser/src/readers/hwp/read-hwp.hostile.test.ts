import { deflateRawSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import { makeCompoundTree } from "@attune/testkit/make-compound-tree.ts";
import { expect, test } from "vitest";
import { Budget, type DocumentLimits } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { fileHeader, paragraph, record, table } from "./hwp.fixture.ts";
import { hwpTag } from "./hwp-records.ts";

async function read(bytes: Buffer, limits: Partial<DocumentLimits> = {}) {
  const input = { bytes, fileName: "a.hwp", format: "hwp" };
  const options = { pages: [], headersFooters: "keep", images: "data_uri" } as const;
  return (await readSource(input, options, new Budget({ ...defaultLimits, ...limits }))).document.blocks;
}

function makeHwp(section: Buffer, flags = 0): Buffer {
  return makeCompoundTree([
    ["FileHeader", fileHeader(flags)],
    ["DocInfo", Buffer.alloc(4)],
    ["BodyText/Section0", section],
    ["ViewText/Section0", section],
  ]);
}

test("records that nest too deeply are refused", async () => {
  const records = Array.from({ length: 1_000 }, (_, level) => record(hwpTag.list, level));

  await expect(read(makeHwp(Buffer.concat(records)))).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
});

test("a section that expands beyond the limit is refused", async () => {
  const bomb = makeCompoundTree([
    ["FileHeader", fileHeader(1)],
    ["DocInfo", deflateRawSync(Buffer.alloc(4))],
    ["BodyText/Section0", deflateRawSync(Buffer.alloc(20 << 20))],
  ]);

  await expect(read(bomb, { maxEntryBytes: 1 << 20 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
});

test("cells far outside of their table, or on the same place, stand below it", async () => {
  const cells = table(1, [
    { text: "a\r", at: [0, 0], spans: [65_535, 65_535] },
    { text: "b\r", at: [0, 0] },
    { text: "c\r", at: [65_535, 65_535] },
  ]);

  expect(JSON.stringify(await read(makeHwp(paragraph({ text: "\u000b\r", controls: [cells] }))))).toMatch(
    /"a".*"b".*"c"/,
  );
});

test("a table of more cells than allowed is refused", async () => {
  const cells = table(1, [
    { text: "a\r", at: [0, 0] },
    { text: "b\r", at: [60_000, 1_000] },
  ]);

  await expect(read(makeHwp(paragraph({ text: "\u000b\r", controls: [cells] })))).rejects.toMatchObject({
    reason: "LIMIT_EXCEEDED",
  });
});

test("cut or changed anywhere, it is read or refused, never worse", async () => {
  const plain = makeHwp(paragraph({ text: "one \u000b\r", controls: [table(1, [{ text: "a\r", at: [0, 0] }])] }));
  for (let at = 0; at < plain.length; at += 211) {
    const changed = Buffer.from(plain);
    changed.writeUInt8((changed.readUInt8(at) + 0x7f) & 255, at);
    for (const bytes of [changed, plain.subarray(0, at)]) {
      const fault = await read(bytes).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(fault === undefined || fault instanceof AppError).toBe(true);
    }
  }
});

test("a document for distribution without its key is corrupt", async () => {
  await expect(read(makeHwp(Buffer.alloc(5000), 4))).rejects.toMatchObject({ reason: "DOCUMENT_CORRUPT" });
});
