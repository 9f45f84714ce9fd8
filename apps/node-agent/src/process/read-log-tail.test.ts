import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanLogLine, readLogTail } from "./read-log-tail.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "attune-tail-"));
});
afterAll(() => rm(folder, { recursive: true }));

const tailOf = async (text: string | Buffer, lines = 200) => {
  const path = join(folder, "run.log");
  await writeFile(path, text);
  return readLogTail(path, { lines });
};

test("the last lines of a log of many blocks", async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index} é`);
  expect(await tailOf(`${lines.join("\n")}\n`)).toEqual(lines.slice(-200));
});

test("a log without an end of line, an empty one and one that is not there", async () => {
  expect(await tailOf("a\nb")).toEqual(["a", "b"]);
  expect(await tailOf("")).toEqual([]);
  expect(await readLogTail(join(folder, "none"), { lines: 5 })).toEqual([]);
});

test("states of a progress bar are lines, its empty ones none, and an empty line stays", async () => {
  expect(await tailOf("a\r\nb\r 50%\r\r100%\n\nc\n")).toEqual(["a", "b", " 50%", "100%", "", "c"]);
});

test("a log of progress alone is read by its carriage returns", async () => {
  const states = Array.from({ length: 1000 }, (_, index) => `${index}/1000`);
  expect(await tailOf(states.join("\r"), 3)).toEqual(["997/1000", "998/1000", "999/1000"]);
});

test("what was left out of a long log is passed over", async () => {
  const log = Buffer.concat([Buffer.from("first\n"), Buffer.alloc(100_000), Buffer.from("\nlast\n")]);
  expect(await tailOf(log)).toEqual(["first", "", "last"]);
});

test("a line of many mebibytes costs no more than its place", async () => {
  const [line, last] = (await tailOf(`${"x".repeat(20_000_000)}\nend`)) as [string, string];
  expect(Buffer.byteLength(line)).toBe(4096);
  expect(last).toBe("end");
});

test.each([
  ["\u001B[31mred\u001B[0m", "red"],
  ["\u001B]0;title\u0007text", "text"],
  ["a\u0000b\u0008c\td", "abc\td"],
  ["token hf_abcdefghijklmnop here", "token *** here"],
  ["key sk-abcdefghijklmnop", "key ***"],
  ["Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"],
  ["HF_TOKEN=verysecret next", "HF_TOKEN=*** next"],
  ['{"api_key": "verysecret"}', '{"api_key": "***"}'],
  ["https://user:pass@host/x", "https://***@host/x"],
  ["the token count is 5", "the token count is 5"],
  ["\u001B[1mhf_abc\u001B[0mdefghijklmn", "***"],
])("%j is shown as %j", (line, shown) => {
  expect(cleanLogLine(line)).toBe(shown);
});

test("given secrets are masked, and damaged UTF-8 is replaced", async () => {
  expect(cleanLogLine("it is hunter22", ["hunter22", "it"])).toBe("it is ***");
  expect(await tailOf(Buffer.from([0x61, 0xff, 0x62]))).toEqual(["a\uFFFDb"]);
});

test("a long line is cut between characters", () => {
  const cut = cleanLogLine("é".repeat(5000));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4096);
  expect(cut).toMatch(/^é+…$/);
});
