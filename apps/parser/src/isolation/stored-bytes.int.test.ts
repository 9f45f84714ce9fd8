import { afterAll, beforeAll, expect, it } from "vitest";
import { plainOptions } from "./testing/parse-options.ts";
import { noSignal, type PoolHarness, reasonOf, startHarness, until } from "./testing/pool-harness.ts";

let harness: PoolHarness;
beforeAll(async () => {
  harness = await startHarness("process");
});
afterAll(() => harness.pool.close());

const mib = 1 << 20;

function stored(sizeBytes: number, givenBytes = sizeBytes) {
  const file = {
    sizeBytes,
    readCount: 0,
    readChunks: async function* () {
      file.readCount += 1;
      const buffer = Buffer.alloc(100_000);
      for (let at = 0; at < givenBytes; at += buffer.length) {
        buffer.fill(file.readCount);
        yield await Promise.resolve(buffer.subarray(0, Math.min(buffer.length, givenBytes - at)));
        buffer.fill(0xff);
      }
    },
  };
  return file;
}

type Bytes = Parameters<PoolHarness["pool"]["read"]>[0]["bytes"];

const readAs = async (format: string, { bytes, fileName }: { bytes: Bytes; fileName: string }, signal = noSignal) =>
  Buffer.from((await harness.pool.read({ bytes, fileName, format }, plainOptions, signal)).content).toString();

const read = async (bytes: Bytes, fileName: string, signal = noSignal) => readAs("txt", { bytes, fileName }, signal);

it("a file that lies elsewhere goes to the worker in pieces, whole", async () => {
  expect(await read(stored(8 * mib), "sum")).toBe(String((8 * mib) % 65_521));
});

it("a file is read when a worker is there, not while it waits for one", async () => {
  await read(stored(1), "echo=warm");
  const first = read(stored(1), "sleep=300");
  const waiting = stored(mib);
  const second = read(waiting, "sum");
  await until(() => harness.pool.stats().queued === 1);
  expect(waiting.readCount).toBe(0);
  await first;
  expect(await second).toBe(String(mib % 65_521));
});

it("a document that is tried again is read again", async () => {
  const file = stored(mib);
  expect(await reasonOf(read(file, "exit=1"))).toBe("PARSER_CRASHED");
  expect(file.readCount).toBe(2);
});

it.each([
  ["too little", stored(mib, mib - 1)],
  ["too much", stored(mib, mib + 1)],
])("a file that gives %s fails alone, and the next document gets a worker of its own", async (_, file) => {
  await expect(read(file, "sum")).rejects.toThrow(`a file of ${mib} bytes gave`);
  expect(await read(stored(1), "echo=again")).toBe("again");
});

it("a caller who goes while his file is sent takes nothing with him", async () => {
  const controller = new AbortController();
  const endless = stored(1 << 30);
  const reading = reasonOf(read(endless, "sum", controller.signal));
  await until(() => endless.readCount === 1);
  controller.abort("gone");
  expect(await reading).toBe("gone");
  expect(await read(stored(1), "echo=again")).toBe("again");
});

it("a file larger than a worker can take is refused with its size", async () => {
  const failure = await read(stored(2 ** 31), "sum").catch((error: unknown) => error);
  expect(failure).toMatchObject({
    reason: "FILE_TOO_LARGE",
    details: { detail: "It has 2147483648 bytes, and Attune's own readers take files of up to 2147483647." },
  });
});

/** A file of ones that is opened where it lies; reading it fails from `brokenFrom` on. */
function accessible(sizeBytes: number, brokenFrom = sizeBytes) {
  const file = Object.assign(stored(sizeBytes), {
    asked: [] as number[],
    openCount: 0,
    openForAccess: () => {
      file.openCount += 1;
      const readAt = (offset: number, length: number) => {
        file.asked.push(offset);
        if (offset >= brokenFrom) throw new Error("the disk is gone");
        return Buffer.alloc(Math.min(length, sizeBytes - offset), 1);
      };
      return Promise.resolve({
        readAt,
        [Symbol.asyncDispose]: () => Promise.resolve(void (file.openCount -= 1)),
      });
    },
  });
  return file;
}

it("a large file of a format that is read in parts is asked for in parts, and closed afterwards", async () => {
  const file = accessible(9 * mib);
  expect(await readAs("pdf", { bytes: file, fileName: "sum" })).toBe(String((9 * mib) % 65_521));
  expect(file.readCount).toBe(0);
  expect(new Set(file.asked).size).toBe(36);
  expect(file.openCount).toBe(0);
});

it.each([
  ["a small file", "pdf", mib],
  ["a format that is read as a whole", "txt", 9 * mib],
])("%s is sent with its job", async (_, format, sizeBytes) => {
  const file = accessible(sizeBytes);
  expect(await readAs(format, { bytes: file, fileName: "sum" })).toBe(String(sizeBytes % 65_521));
  expect([file.readCount, file.asked.length]).toEqual([1, 0]);
});

it("a large file in the memory of the service is asked for in parts too", async () => {
  const bytes = new Uint8Array(9 * mib).fill(1);
  expect(await readAs("pdf", { bytes, fileName: "sum" })).toBe(String((9 * mib) % 65_521));
});

it("a part that cannot be read fails the document with the cause, and the next gets a worker of its own", async () => {
  const file = accessible(9 * mib, 4 * mib);
  await expect(readAs("pdf", { bytes: file, fileName: "sum" })).rejects.toThrow("the disk is gone");
  expect(file.openCount).toBe(0);
  expect(await read(stored(1), "echo=again")).toBe("again");
});

it("a worker that asks for parts of a file that it was sent is ended", async () => {
  expect(await reasonOf(read(stored(1), "part"))).toBe("PARSER_CRASHED");
});
