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

const read = async (bytes: Parameters<PoolHarness["pool"]["read"]>[0]["bytes"], fileName: string, signal = noSignal) =>
  Buffer.from((await harness.pool.read({ bytes, fileName, format: "txt" }, plainOptions, signal)).content).toString();

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
