import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IsolationLevel } from "../process/sandbox.ts";
import { createWorkerPool, type WorkerPool } from "./create-worker-pool.ts";
import { hasLevel } from "./testing/has-level.ts";
import { plainOptions } from "./testing/parse-options.ts";
import { limitsWithin, misbehavingEntry, noSignal, reasonOf, testMemoryMib } from "./testing/pool-harness.ts";

const levels = {
  none: await hasLevel("none"),
  process: await hasLevel("process"),
  bubblewrap: await hasLevel("bubblewrap"),
};

describe.each(["none", "process", "bubblewrap"] as const)("a worker pool at level %s", (level) => {
  describe.skipIf(!levels[level])("of this machine", () => {
    let pool: WorkerPool;
    const read = async (text: string, format = "txt") =>
      pool.read({ bytes: Buffer.from(text), fileName: `a.${format}`, format }, plainOptions, noSignal);

    beforeAll(async () => {
      pool = await createWorkerPool({ workers: 2, memoryMib: testMemoryMib, warmFormats: ["pdf"] }, { level });
    });
    afterAll(() => pool.close());

    it("says which level it has", () => {
      expect(pool.isolationLevel).toBe(level);
      expect(pool.stats().isolationLevel).toBe(level);
    });

    it("reads a document and renders it", async () => {
      const parsed = await read("Ægir 🌊\n\nsecond");
      const content = Buffer.from(parsed.content).toString();
      expect(content).toContain("Ægir 🌊");
      expect(parsed).toMatchObject({ contentLength: content.length - 1, isEmpty: false, warnings: [] });
    });

    it("says that a blank document is empty", async () => {
      expect((await read(" \n\n ")).isEmpty).toBe(true);
    });

    it("reads eight documents at once, each its own", async () => {
      const texts = Array.from({ length: 8 }, (_, index) => `document ${index} ${"word ".repeat(index * 5000)}`);
      const parsed = await Promise.all(texts.map((text) => read(text)));
      const starts = parsed.map(({ content }) => Buffer.from(content).toString().slice(0, 10));
      expect(starts).toEqual(texts.map((text) => text.slice(0, 10)));
    });

    it("refuses an unknown format with its reason", async () => {
      expect(await reasonOf(read("x", "none"))).toBe("UNSUPPORTED_FILE_TYPE");
    });

    it("refuses a text longer than one answer may be", async () => {
      const limits = { ...limitsWithin(60_000), maxOutputBytes: 1000 };
      await using small = await createDisposablePool({ workers: 1, warmFormats: [], limits }, level);
      const input = { bytes: Buffer.from("word ".repeat(1000)), fileName: "a.txt", format: "txt" };
      expect(await reasonOf(small.pool.read(input, plainOptions, noSignal))).toBe("OUTPUT_TOO_LARGE");
    });

    it("moves 256 MiB into a worker unharmed", async () => {
      const settings = { workers: 1, warmFormats: [], workerEntry: misbehavingEntry };
      await using large = await createDisposablePool(settings, level);
      const bytes = new Uint8Array(256 << 20).fill(3);
      const { content } = await large.pool.read({ bytes, fileName: "sum", format: "txt" }, plainOptions, noSignal);
      expect(Buffer.from(content).toString()).toBe(String((3 * (256 << 20)) % 65_521));
    });
  });
});

async function createDisposablePool(settings: Parameters<typeof createWorkerPool>[0], level: IsolationLevel) {
  const pool = await createWorkerPool(settings, { level });
  return { pool, [Symbol.asyncDispose]: () => pool.close() };
}
