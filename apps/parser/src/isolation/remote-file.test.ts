import { expect, test } from "vitest";
import { plainOptions } from "./testing/parse-options.ts";
import { defaultLimits } from "../limits/default-limits.ts";
import { type JobMessage, type PartMessage, partBytes } from "./messages.ts";
import { createRemoteFile } from "./remote-file.ts";

function remote(fileBytes: number, answer = (part: Buffer) => part) {
  const bytes = Buffer.from(Array.from({ length: fileBytes }, (_, at) => (at * 7 + Math.floor(at / 251)) % 256));
  const asked: number[] = [];
  const ask = (question: object) => {
    const { offset } = question as PartMessage;
    asked.push(offset / partBytes);
    return { head: { kind: "part" }, body: answer(bytes.subarray(offset, offset + partBytes)) };
  };
  const job: JobMessage = {
    kind: "job",
    jobId: 1,
    fileName: "",
    format: "pdf",
    options: plainOptions,
    limits: defaultLimits,
    fileBytes,
  };
  return { bytes, asked, file: createRemoteFile(ask, job) };
}

test.each([
  [0, 4],
  [partBytes - 2, 4],
  [partBytes, partBytes],
  [5, 2 * partBytes],
  [2 * partBytes + 3, 1000],
  [2 * partBytes + 999, 1],
  [2 * partBytes + 1000, 1],
  [2 ** 40, 8],
])("gives the bytes from %d on, %d of them", (offset, length) => {
  const { bytes, file } = remote(2 * partBytes + 1000);
  expect(Buffer.from(file.readAt(offset, length)).equals(bytes.subarray(offset, offset + length))).toBe(true);
});

test("asks again for no part that was read lately, and keeps few of a long file", () => {
  const { asked, file } = remote(20 * partBytes);
  for (let at = 0; at < 20; at++) {
    file.readAt(at * partBytes, 10);
    file.readAt(0, 10);
    file.readAt(at * partBytes + 5, 10);
  }
  expect(asked).toEqual(Array.from({ length: 20 }, (_, index) => index));
  file.readAt(partBytes, 1);
  expect(asked.slice(20)).toEqual([1]);
});

test("refuses an answer that is not the part", () => {
  const { file } = remote(2 * partBytes, (part) => part.subarray(1));
  expect(() => file.readAt(0, 1)).toThrow("no answer about a part of the file");
});
