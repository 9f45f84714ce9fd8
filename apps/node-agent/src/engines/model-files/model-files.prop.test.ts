import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "@attune/service-kit/app-error.ts";
import { makeSafetensors } from "@attune/testkit/fake-inference-worker-model.ts";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { checkGgufFile } from "./check-gguf-file.ts";
import { readModelJson } from "./read-model-json.ts";
import { readSafetensorsHeader } from "./read-safetensors-header.ts";

const folder = mkdtempSync(join(tmpdir(), "attune-model-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "file");
const write = (bytes: Uint8Array | string): string => {
  writeFileSync(path, bytes);
  return path;
};
const tensors = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9_.]{0,20}$/).filter((name) => !(name in {})),
  fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 }),
  { maxKeys: 6, noNullPrototype: true },
);

describe("a safetensors file", () => {
  test("that is whole gives the shapes of its tensors", async () => {
    await fc.assert(
      fc.asyncProperty(tensors, async (shapes) => {
        const header = await readSafetensorsHeader(write(makeSafetensors(shapes)));
        expect(Object.fromEntries(header)).toEqual(shapes);
      }),
      { numRuns: 50 },
    );
  });

  test("of which anything is missing, or which has anything more, is corrupt", async () => {
    const whole = makeSafetensors({ "a.weight": [4, 4], "b.weight": [3] });
    const sizes = fc.integer({ min: 0, max: whole.length + 20 }).filter((size) => size !== whole.length);
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const bytes = Buffer.concat([whole, Buffer.alloc(20)]).subarray(0, size);
        await expect(readSafetensorsHeader(write(bytes))).rejects.toMatchObject({ reason: "MODEL_CORRUPT" });
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    [
      "tensors that overlap",
      { a: { dtype: "U8", shape: [4], data_offsets: [0, 4] }, b: { dtype: "U8", shape: [4], data_offsets: [2, 6] } },
    ],
    [
      "a gap",
      { a: { dtype: "U8", shape: [4], data_offsets: [0, 4] }, b: { dtype: "U8", shape: [1], data_offsets: [5, 6] } },
    ],
    ["a size that does not fit", { a: { dtype: "F32", shape: [4], data_offsets: [0, 6] } }],
    ["negative places", { a: { dtype: "U8", shape: [6], data_offsets: [-6, 0] } }],
    ["no shape", { a: { dtype: "U8", data_offsets: [0, 6] } }],
    ["a list", []],
  ])("with %s is corrupt", async (_, json) => {
    const header = Buffer.from(JSON.stringify(json));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    const bytes = Buffer.concat([length, header, Buffer.alloc(6)]);
    await expect(readSafetensorsHeader(write(bytes))).rejects.toMatchObject({ reason: "MODEL_CORRUPT" });
  });
});

test.each([
  ["readSafetensorsHeader", readSafetensorsHeader],
  ["checkGgufFile", checkGgufFile],
  ["readModelJson", readModelJson],
])("%s throws nothing but AppError, whatever the file holds", async (_, read) => {
  const starts = fc.constantFrom("", "GGUF\u0003\0\0\0", "{", '{"a":', "\u0010\0\0\0\0\0\0\0", "[]", "\0".repeat(8));
  await fc.assert(
    fc.asyncProperty(starts, fc.uint8Array({ maxLength: 200 }), async (start, rest) => {
      write(Buffer.concat([Buffer.from(start, "latin1"), rest]));
      const error: unknown = await read(path).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error instanceof AppError ? undefined : error).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});
