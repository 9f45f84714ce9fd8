import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeKeys } from "./object-store-keys.contract.ts";
import { describeLinks } from "./object-store-links.contract.ts";
import { describeUploads } from "./object-store-uploads.contract.ts";
import {
  assertNothingLeft,
  bytesOf,
  digestOf,
  readAll,
  readObject,
  reasonOf,
  type StoreFixture,
  toStream,
  type UseFixture,
} from "./store-fixture.contract.ts";

/** What every object store does. */
export function describeObjectStore(name: string, start: () => Promise<StoreFixture>): void {
  // A store of several processes takes its time on a busy machine.
  describe(`object store: ${name}`, { timeout: 300_000 }, () => {
    let fixture: StoreFixture;
    beforeAll(async () => {
      fixture = await start();
    }, 120_000);
    afterAll(() => fixture[Symbol.asyncDispose]());

    const use = () => fixture;
    describeWrites(use);
    describeReads(use);
    describeKeys(use);
    describeUploads(use);
    describeLinks(use);
  });
}

function describeWrites(use: UseFixture): void {
  describe("writes", () => {
    it("says what it is, and that it is available", async () => {
      expect(use().store).toMatchObject({
        name: expect.stringMatching(/^[a-z0-9]+$/),
        description: expect.any(String),
      });
      expect(await use().store.probe()).toMatchObject({ isAvailable: true });
      expect(await use().countLeftovers()).toBe(0);
    });

    it("gives back what was put, with its size and SHA-256", async () => {
      const bytes = randomBytes(100_000);
      expect(await use().store.put("a/b/first", bytes, { mediaType: "text/csv" })).toEqual(digestOf(bytes));
      const { sizeBytes, stream } = await use().store.get("a/b/first");
      expect([sizeBytes, bytes.equals(await bytesOf(stream))]).toEqual([100_000, true]);
      const head = await use().store.head("a/b/first");
      expect(head).toMatchObject({ sizeBytes: 100_000 });
      expect(head?.sha256 ?? digestOf(bytes).sha256).toBe(digestOf(bytes).sha256);
      expect(Math.abs(Date.now() - (head?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000);
    });

    it("takes a stream of pieces of any size, and an expectation that is met", async () => {
      const bytes = randomBytes(50_000);
      const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1, 40_000), bytes.subarray(40_000)];
      const expected = digestOf(bytes);
      expect(await use().store.put("pieces", toStream(pieces), { expected })).toEqual(expected);
      expect(bytes.equals(await readObject(use().store, "pieces"))).toBe(true);
    });

    it("holds an object of 0 bytes", async () => {
      expect(await use().store.put("empty", toStream([]))).toEqual(digestOf(Buffer.alloc(0)));
      expect([await use().store.exists("empty"), await readObject(use().store, "empty")]).toEqual([
        true,
        Buffer.alloc(0),
      ]);
      expect(await use().store.head("empty")).toMatchObject({ sizeBytes: 0 });
      expect(await reasonOf(() => readObject(use().store, "empty", { firstByte: 0 }))).toBe("STORAGE_RANGE_INVALID");
    });

    it("takes 64 MiB without holding them in memory", async () => {
      const piece = randomBytes(2 ** 20);
      const hash = createHash("sha256");
      const startBytes = (await use().countArrivedBytes?.()) ?? 0;
      let mostBytes = 0;
      async function* pieces() {
        for (let count = 0; count < 64; count++) {
          hash.update(piece);
          yield piece;
          const arrived = await use().countArrivedBytes?.();
          if (arrived !== undefined) mostBytes = Math.max(mostBytes, (count + 1) * 2 ** 20 - (arrived - startBytes));
        }
      }
      const digest = await use().store.put("large", pieces());
      expect(digest).toEqual({ sizeBytes: 64 * 2 ** 20, sha256: hash.digest("hex") });
      expect(mostBytes).toBeLessThanOrEqual(use().inFlightBytes ?? 0);
      const back = createHash("sha256");
      for await (const chunk of (await use().store.get("large")).stream) back.update(chunk as Buffer);
      expect(back.digest("hex")).toBe(digest.sha256);
      expect((await use().store.head("large"))?.sha256 ?? digest.sha256).toBe(digest.sha256);
      await use().store.delete("large");
      expect(await use().countLeftovers()).toBe(0);
    });

    it.each([
      ["one piece", 1],
      ["20 MiB", 20],
    ])("leaves nothing when the caller's stream fails after %s, and throws its error", async (_, pieces) => {
      const failure = new Error("the client is gone");
      async function* broken() {
        for (let count = 0; count < pieces; count++) yield randomBytes(2 ** 20);
        throw failure;
      }
      await expect(use().store.put("broken", broken())).rejects.toBe(failure);
      await assertNothingLeft(use(), "broken");
    });

    it("leaves nothing when it is aborted, even while the stream gives nothing", async () => {
      const stop = new AbortController();
      let isClosed = false;
      async function* stalled() {
        try {
          for (let count = 0; count < 9; count++) yield randomBytes(2 ** 20);
          setImmediate(() => stop.abort(new Error("enough")));
          await new Promise(() => {});
        } finally {
          isClosed = true;
        }
      }
      const stream = stalled();
      await expect(use().store.put("stalled", stream, { signal: stop.signal })).rejects.toThrow("enough");
      await assertNothingLeft(use(), "stalled");
      // A generator that waits for ever cannot be closed; all others are.
      expect(isClosed).toBe(false);
    });

    it.each([
      ["another SHA-256", { sha256: "0".repeat(64) }],
      ["fewer bytes", { sizeBytes: 30 }],
      ["more bytes", { sizeBytes: 20 * 2 ** 20 + 1 }],
    ])("refuses what was announced with %s and stores nothing", async (_, expected) => {
      for (const body of [randomBytes(31), randomBytes(20 * 2 ** 20)]) {
        const attempt = () => use().store.put("announced", body, { expected });
        expect(await reasonOf(attempt)).toBe("STORAGE_CHECKSUM_MISMATCH");
        await assertNothingLeft(use(), "announced");
      }
    });

    it("keeps the old object when a new one is refused", async () => {
      await use().store.put("kept", Buffer.from("old"));
      const attempt = () => use().store.put("kept", Buffer.from("new"), { expected: { sha256: "1".repeat(64) } });
      expect(await reasonOf(attempt)).toBe("STORAGE_CHECKSUM_MISMATCH");
      expect(String(await readObject(use().store, "kept"))).toBe("old");
    });

    it("replaces an object, and a reader keeps the one that it opened", async () => {
      const [old, next] = [randomBytes(3 * 2 ** 20), Buffer.from("the next one")];
      await use().store.put("replaced", old);
      const reading = await use().store.get("replaced");
      const chunks = reading.stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      const first = await chunks.next();
      await use().store.put("replaced", next);
      expect(String(await readObject(use().store, "replaced"))).toBe("the next one");
      const rest: Buffer[] = [first.value as Buffer];
      for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) rest.push(chunk.value);
      expect(Buffer.concat(rest).equals(old)).toBe(true);
    });

    it("makes one of eight that are put under one key at once, whole", async () => {
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(200_000, 97 + index));
      await Promise.all(bodies.map((body) => use().store.put("contested", body)));
      const found = await readObject(use().store, "contested");
      expect(bodies.some((body) => body.equals(found))).toBe(true);
      expect(await use().countLeftovers()).toBe(0);
    });
  });
}

function describeReads(use: UseFixture): void {
  describe("reads", () => {
    it.each([
      [{ firstByte: 0, lastByte: 0 }, "0"],
      [{ firstByte: 3 }, "3456789"],
      [{ firstByte: 3, lastByte: 5 }, "345"],
      [{ firstByte: 9, lastByte: 9 }, "9"],
      [{ firstByte: 8, lastByte: 1000 }, "89"],
    ])("reads the range %j", async (range, expected) => {
      await use().store.put("digits", Buffer.from("0123456789"));
      const reading = await use().store.get("digits", { range });
      expect([reading.sizeBytes, String(await readAll(reading))]).toEqual([10, expected]);
    });

    it.each([
      { firstByte: 10 },
      { firstByte: 4, lastByte: 3 },
      { firstByte: -1 },
      { firstByte: 0.5 },
      { firstByte: 1e18 },
    ])("refuses the range %j", async (range) => {
      await use().store.put("digits", Buffer.from("0123456789"));
      expect(await reasonOf(() => use().store.get("digits", { range }))).toBe("STORAGE_RANGE_INVALID");
    });

    it("tells what is missing, and deletes it without a word", async () => {
      expect(await reasonOf(() => use().store.get("missing"))).toBe("STORAGE_OBJECT_NOT_FOUND");
      expect(await reasonOf(() => use().store.copy("missing", "elsewhere"))).toBe("STORAGE_OBJECT_NOT_FOUND");
      expect([await use().store.head("missing"), await use().store.exists("missing")]).toEqual([undefined, false]);
      await use().store.put("short-lived", Buffer.from("x"));
      await use().store.delete("short-lived");
      await use().store.delete("short-lived");
      await use().store.delete("never/was/there");
      expect(await use().store.exists("short-lived")).toBe(false);
    });

    it("copies an object, with its SHA-256", async () => {
      await use().store.put("copied/from", Buffer.from("content"));
      await use().store.copy("copied/from", "copied/to/there");
      await use().store.delete("copied/from");
      expect(String(await readObject(use().store, "copied/to/there"))).toBe("content");
      const { sha256 } = digestOf(Buffer.from("content"));
      expect((await use().store.head("copied/to/there"))?.sha256 ?? sha256).toBe(sha256);
      expect(await use().countLeftovers()).toBe(0);
    });
  });
}
