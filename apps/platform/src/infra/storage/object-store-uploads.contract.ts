import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ObjectUpload } from "./object-store.ts";
import {
  assertNothingLeft,
  digestOf,
  readObject,
  reasonOf,
  toStream,
  type UseFixture,
} from "./store-fixture.contract.ts";

const partBytes = 5 * 2 ** 20;

/** Objects that are written in parts, and what is left when they are not finished. */
export function describeUploads(use: UseFixture): void {
  describe("uploads in parts", () => {
    const parts = [randomBytes(partBytes), randomBytes(partBytes), randomBytes(1_000)];
    const whole = Buffer.concat(parts);
    const putParts = async (upload: ObjectUpload, numbers: readonly number[]) => {
      for (const number of numbers) {
        await use().store.putPart(upload, { partNumber: number, body: parts[number - 1] ?? Buffer.alloc(0) });
      }
    };

    it("join in the order of their numbers, whatever the order they came in", async () => {
      const upload = await use().store.createUpload("parted", { mediaType: "text/csv" });
      await putParts(upload, [3, 1]);
      expect(await use().store.exists("parted")).toBe(false);
      expect(await use().store.listParts(upload)).toEqual([
        { partNumber: 1, sizeBytes: partBytes },
        { partNumber: 3, sizeBytes: 1_000 },
      ]);
      // As another process would, after the database gave it back.
      await putParts(JSON.parse(JSON.stringify(upload)) as ObjectUpload, [2]);
      expect(await use().store.completeUpload(upload, { expected: digestOf(whole) })).toEqual(digestOf(whole));
      expect(whole.equals(await readObject(use().store, "parted"))).toBe(true);
      expect(await use().countLeftovers()).toBe(0);
      expect(await use().store.completeUpload(upload, { expected: digestOf(whole) })).toEqual(digestOf(whole));
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_NOT_FOUND");
    });

    it("take the later one of a part that came twice", async () => {
      const upload = await use().store.createUpload("twice");
      await use().store.putPart(upload, { partNumber: 1, body: Buffer.from("first") });
      await use().store.putPart(upload, { partNumber: 1, body: toStream([Buffer.from("sec"), Buffer.from("ond")]) });
      expect(await use().store.listParts(upload)).toEqual([{ partNumber: 1, sizeBytes: 6 }]);
      await use().store.completeUpload(upload);
      expect(String(await readObject(use().store, "twice"))).toBe("second");
    });

    it("are not joined while one is missing or too small, and can go on", async () => {
      const upload = await use().store.createUpload("gap");
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_INVALID");
      await putParts(upload, [1, 3]);
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_INVALID");
      await use().store.putPart(upload, { partNumber: 2, body: Buffer.from("small") });
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_INVALID");
      await putParts(upload, [2]);
      const tooMuch = { sizeBytes: whole.length + 1 };
      expect(await reasonOf(() => use().store.completeUpload(upload, { expected: tooMuch }))).toBe(
        "STORAGE_UPLOAD_INVALID",
      );
      expect(await use().store.completeUpload(upload)).toEqual(digestOf(whole));
      expect(await use().countLeftovers()).toBe(0);
    });

    it("are gone when they turn out to be something else", async () => {
      const upload = await use().store.createUpload("other");
      await putParts(upload, [1, 2]);
      const attempt = () => use().store.completeUpload(upload, { expected: { sha256: "2".repeat(64) } });
      expect(await reasonOf(attempt)).toBe("STORAGE_CHECKSUM_MISMATCH");
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_NOT_FOUND");
      await assertNothingLeft(use(), "other");
    });

    it("leave nothing of a part that breaks off or is refused", async () => {
      const upload = await use().store.createUpload("broken-part");
      async function* broken() {
        yield randomBytes(1_000);
        throw new Error("gone");
      }
      await expect(use().store.putPart(upload, { partNumber: 1, body: broken() })).rejects.toThrow("gone");
      const wrong = { partNumber: 1, body: Buffer.from("x"), expected: { sha256: "3".repeat(64) } };
      expect(await reasonOf(() => use().store.putPart(upload, wrong))).toBe("STORAGE_CHECKSUM_MISMATCH");
      for (const partNumber of [0, 10_001, 1.5, Number.NaN]) {
        const attempt = () => use().store.putPart(upload, { partNumber, body: Buffer.from("x") });
        expect(await reasonOf(attempt)).toBe("STORAGE_UPLOAD_INVALID");
      }
      expect(await use().store.listParts(upload)).toEqual([]);
      await use().store.abortUpload(upload);
    });

    it("are gone when they are aborted, once or twice", async () => {
      const upload = await use().store.createUpload("aborted");
      await putParts(upload, [1]);
      await use().store.abortUpload(upload);
      await use().store.abortUpload(upload);
      expect(await reasonOf(() => putParts(upload, [2]))).toBe("STORAGE_UPLOAD_NOT_FOUND");
      expect(await reasonOf(() => use().store.listParts(upload))).toBe("STORAGE_UPLOAD_NOT_FOUND");
      expect(await reasonOf(() => use().store.completeUpload(upload))).toBe("STORAGE_UPLOAD_NOT_FOUND");
      await assertNothingLeft(use(), "aborted");
    });

    it("answer only to their own key and id", async () => {
      const upload = await use().store.createUpload("own");
      for (const other of [
        { ...upload, key: "foreign" },
        { ...upload, uploadId: "../../etc" },
        { ...upload, uploadId: "" },
      ]) {
        expect(await reasonOf(() => use().store.putPart(other, { partNumber: 1, body: Buffer.from("x") }))).toBe(
          "STORAGE_UPLOAD_NOT_FOUND",
        );
      }
      await use().store.abortUpload(upload);
    });
  });

  describe("sweeping", () => {
    it("sweeps what unfinished writes left, and nothing that is young or an object", async () => {
      await use().store.put("swept/object", Buffer.from("stays"));
      const upload = await use().store.createUpload("swept/upload");
      await use().store.putPart(upload, { partNumber: 1, body: Buffer.from("x") });
      expect(await use().store.sweep({ olderThanMs: 3_600_000 })).toEqual({ removedCount: 0 });
      expect(await use().store.listParts(upload)).toHaveLength(1);
      // Clocks of the store may be a little ahead, and its times are of whole seconds.
      await expect
        .poll(() => use().store.sweep({ olderThanMs: -5_000 }), { timeout: 10_000 })
        .toEqual({ removedCount: 1 });
      expect(await reasonOf(() => use().store.listParts(upload))).toBe("STORAGE_UPLOAD_NOT_FOUND");
      expect([String(await readObject(use().store, "swept/object")), await use().countLeftovers()]).toEqual([
        "stays",
        0,
      ]);
    });

    it("does not sweep a write in progress", async () => {
      async function* slow() {
        for (let count = 0; count < 12; count++) yield Buffer.alloc(2 ** 20, count);
        await use().store.sweep({ olderThanMs: -5_000 });
        yield Buffer.from("end");
      }
      expect(await use().store.put("slow", slow())).toMatchObject({ sizeBytes: 12 * 2 ** 20 + 3 });
      expect((await readObject(use().store, "slow")).subarray(-3).toString()).toBe("end");
    });
  });
}
