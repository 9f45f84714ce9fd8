import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { checkCompound } from "./check-compound.ts";

const sound = readFileSync(join(import.meta.dirname, "../../../corpus/msg/table-and-attachment.msg"));
const directorySector = sound.readUInt32LE(48);
const directoryAt = (directorySector + 1) * 512;
const tableAt = (sound.readUInt32LE(76) + 1) * 512;

function changed(change: (file: Buffer) => void): Buffer {
  const file = Buffer.from(sound);
  change(file);
  return file;
}

describe("a compound file", () => {
  test("that is sound passes", () => {
    expect(() => checkCompound(sound)).not.toThrow();
  });

  test.each([
    [
      "its directory's chain is a loop",
      changed((file) => file.writeUInt32LE(directorySector, tableAt + 4 * directorySector)),
    ],
    [
      "its directory's chain ends in a free sector",
      changed((file) => file.writeUInt32LE(0xffffffff, tableAt + 4 * directorySector)),
    ],
    ["an entry is its own sibling", changed((file) => file.writeUInt32LE(1, directoryAt + 128 + 72))],
    ["a child is its parent", changed((file) => file.writeUInt32LE(0, directoryAt + 128 + 76))],
    ["a stream claims 2 GiB", changed((file) => file.writeUInt32LE(0x7fffffff, directoryAt + 128 + 120))],
    ["its table claims 4 billion sectors", changed((file) => file.writeUInt32LE(0xffffffff, 44))],
    ["it is cut off inside its header", sound.subarray(0, 300)],
  ])("is refused when %s", async (_name, bytes) => {
    const input = { bytes, fileName: "", format: "msg" };
    const options = { pages: [], headersFooters: "drop", images: "placeholder" } as const;
    await expect(readSource(input, options, new Budget(defaultLimits))).rejects.toMatchObject({
      reason: "DOCUMENT_CORRUPT",
    });
  });
});
