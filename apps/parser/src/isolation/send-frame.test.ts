import { setTimeout } from "node:timers/promises";
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { createFrameReader } from "./frame-reader.ts";
import { sendFrame } from "./send-frame.ts";

const stored = (chunks: readonly string[], sizeBytes = chunks.join("").length) => ({
  sizeBytes,
  readChunks: async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  },
});

test.each([[["whole"]], [["in ", "two"]], [[]]])("a frame arrives as it was sent: %j", async (chunks) => {
  const channel = new PassThrough();
  await sendFrame(channel, { kind: "job" }, stored(chunks));
  const frames = createFrameReader(100).push(channel.read());
  expect(frames.map(({ head, body }) => [head, body.toString()])).toEqual([[{ kind: "job" }, chunks.join("")]]);
});

test.each([
  [3, "a file of 3 bytes gave 4"],
  [5, "a file of 5 bytes gave 4"],
])("a file that gives another number of bytes than %i is an error", async (sizeBytes, message) => {
  const channel = new PassThrough();
  await expect(sendFrame(channel, {}, stored(["a", "bcd"], sizeBytes))).rejects.toThrow(message);
});

test("the next piece is read when the one before has been taken", async () => {
  let read = 0;
  const taken: (() => void)[] = [];
  const channel = new Writable({ write: (_chunk, _encoding, done) => void taken.push(done), highWaterMark: 1 << 30 });
  const chunks = async function* () {
    for (; read < 3; read++) yield await Promise.resolve(Buffer.from("x"));
  };
  const sending = sendFrame(channel, {}, { sizeBytes: 3, readChunks: chunks });
  await setTimeout(20);
  expect([taken.length, read]).toEqual([1, 0]);
  // The start of the frame is taken by itself.
  for (const takenCount of [0, 1, 2, 3]) {
    taken.shift()?.();
    await setTimeout(1);
    expect(read).toBe(takenCount);
  }
  await sending;
});

test("a pipe that breaks ends the sending without an error, and the file is left", async () => {
  let isLeft = false;
  const channel = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
  channel.on("error", () => undefined);
  const chunks = async function* () {
    try {
      for (;;) yield await Promise.resolve(Buffer.from("x"));
    } finally {
      isLeft = true;
    }
  };
  await sendFrame(channel, {}, { sizeBytes: 1e6, readChunks: chunks });
  expect(isLeft).toBe(true);
});
