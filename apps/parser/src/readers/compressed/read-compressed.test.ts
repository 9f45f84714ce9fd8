import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import * as formatModules from "./format.ts";

const formats = Object.values(formatModules);
const text = "a,b\n1,2\n";
// The text by compressors that Node does not have.
const bzip2 = Buffer.from(
  "425a6839314159265359bf87407f00000359000010000430003000200030c00869b28823278bb9229c28485fc3a03f80",
  "hex",
);
const xz = Buffer.from(
  "fd377a585a000004e6d6b4460200210116000000742fe5a3010007612c620a312c320a00be9cbd49b5122afe00012008bb19d9bb1fb6f37d010000000004595a",
  "hex",
);

async function read(bytes: Uint8Array, fileName: string, maxEntryBytes = defaultLimits.maxEntryBytes) {
  const budget = new Budget({ ...defaultLimits, maxEntryBytes });
  const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
  const format = detectFormat(createProbe(bytes), { fileName: "upload" }, formats)?.format.name ?? "";
  const { document } = await readSource({ bytes, fileName, format }, options, budget);
  return document.blocks;
}

const tableOf = (...rows: readonly (readonly string[])[]) => [expect.objectContaining({ type: "table", rows })];

const files = [
  { name: "t.csv.gz", bytes: gzipSync(text) },
  { name: "t.csv.bz2", bytes: bzip2 },
  { name: "t.csv.xz", bytes: xz },
  { name: "t.csv.zst", bytes: zstdCompressSync(text) },
];

describe.each(files)("$name", ({ name, bytes }) => {
  test("what it holds is read by the name without the ending", async () => {
    expect(await read(bytes, name)).toEqual(tableOf(["a", "b"], ["1", "2"]));
  });

  test("streams after one another are one file", async () => {
    expect(await read(Buffer.concat([bytes, bytes]), name)).toEqual(
      tableOf(["a", "b"], ["1", "2"], ["a", "b"], ["1", "2"]),
    );
  });

  test("a stream that ends early is damaged, at whatever place", async () => {
    for (let length = 12; length < bytes.length - 1; length += 3) {
      // oxlint-disable-next-line no-await-in-loop -- in turn, to see where
      await expect(read(bytes.subarray(0, length), name), `${length} bytes`).rejects.toMatchObject({
        reason: "DOCUMENT_CORRUPT",
      });
    }
  });

  test("it may not expand further than allowed", async () => {
    await expect(read(bytes, name, 8)).resolves.toHaveLength(1);
    await expect(read(bytes, name, 7)).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
  });
});

test("notes of programs between the frames of Zstandard are no text", async () => {
  const note = Buffer.from([0x52, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7]);
  const bytes = Buffer.concat([note, zstdCompressSync("a,b\n"), note, zstdCompressSync("1,2\n")]);
  expect(await read(bytes, "t.csv.zst")).toEqual(tableOf(["a", "b"], ["1", "2"]));
});

test("an xz stream with a checksum that cannot be verified is refused, not called damaged", async () => {
  const bytes = Buffer.from(xz);
  bytes[7] = 0x0a;
  await expect(read(bytes, "t.csv.xz")).rejects.toMatchObject({ reason: "UNSUPPORTED_FILE_TYPE" });
});
