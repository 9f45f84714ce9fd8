import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, open, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileReadQuery, maxReadBytes } from "@attune/contracts/compute/cache-api.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileReader, type FileReader } from "./file-reader.ts";

let base: string;
let runs: string;
let files: FileReader;
const signal = new AbortController().signal;
const report = Buffer.from(JSON.stringify({ rouge1: 0.5, name: "Größe 文件 🎉" }));

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-files-"));
  runs = join(base, "runs");
  const cache = join(base, "cache");
  await mkdir(join(runs, "j-1/output"), { recursive: true });
  await mkdir(join(cache, ".tmp/model.m"), { recursive: true });
  await mkdir(join(cache, "model/m/files"), { recursive: true });
  await writeFile(join(runs, "j-1/output/eval_results.json"), report);
  await writeFile(join(cache, "model/m/files/config.json"), "{}");
  await writeFile(join(cache, ".tmp/model.m/job.json"), "hidden");
  await writeFile(join(base, "secret"), "secret");
  files = createFileReader([
    { name: "runs", path: runs, isHidden: () => false },
    { name: "cache", path: cache, isHidden: (name) => name.startsWith(".") },
  ]);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const read = (query: unknown) => files.read(fileReadQuery.parse(query), signal);
const readRun = (path: string, more = {}) => read({ root: "runs", path: `j-1/${path}`, ...more });

describe("a log of a run", () => {
  const lines = [
    "loading é文",
    "token hf_abcdefghijklmnop here",
    `Authorization: Bearer ${"abc.def-".repeat(6000)}`,
    "HF_TOKEN=verysecret next",
    "done",
  ];
  const log = Buffer.from(lines.join("\n"));

  it("is read without its secrets, with the offsets that it has, however it is cut", async () => {
    await writeFile(join(runs, "j-1/run.log"), log);
    const whole = await readRun("run.log");
    expect(whole).toMatchObject({ size_bytes: log.length, length: log.length, is_masked: true, checksum_sha256: null });
    for (const secret of ["hf_a", "ijklmnop", "abc.def", "verysecret"]) expect(whole.content).not.toContain(secret);
    expect(whole.content.startsWith("loading é文\ntoken ******************* here\nAuthorization: Bearer ***")).toBe(
      true,
    );
    const masked = Buffer.from(whole.content);
    const cuts = [
      0,
      1,
      10,
      20,
      25,
      30,
      40,
      60,
      70,
      100,
      40_000,
      47_000,
      48_000,
      log.length - 20,
      log.length - 12,
      log.length,
    ];
    for (const offset of cuts) {
      for (const length of [1, 7, 15, 70_000]) {
        const part = await readRun("run.log", { offset, length });
        const bytes = Buffer.from(part.content, part.encoding === "base64" ? "base64" : "utf8");
        expect(bytes.equals(masked.subarray(offset, offset + part.length))).toBe(true);
      }
    }
  });

  it("has the same text masked in its last lines, and by a link", async () => {
    await writeFile(join(runs, "j-1/run.log"), log);
    await symlink("run.log", join(runs, "j-1/innocent.txt"));
    const expected = "HF_TOKEN=********** next\ndone";
    expect((await readRun("run.log", { tail_lines: 2 })).content).toBe(expected);
    expect((await readRun("innocent.txt", { tail_lines: 2 })).content).toBe(expected);
  });
});

describe("a file of a run", () => {
  it("is read by its path below a root or by its whole path, with what tells a change", async () => {
    const view = await readRun("output/eval_results.json");
    expect(view).toMatchObject({
      path: join(runs, "j-1/output/eval_results.json"),
      size_bytes: report.length,
      checksum_sha256: createHash("sha256").update(report).digest("hex"),
      offset: 0,
      length: report.length,
      next_offset: null,
      is_truncated: false,
      is_changing: false,
      is_text: true,
      encoding: "utf-8",
      content: report.toString(),
    });
    expect(await read({ path: view.path })).toEqual(view);
    await appendFile(view.path, " ");
    const later = await readRun("output/eval_results.json");
    expect(later.version).not.toBe(view.version);
    expect(later.checksum_sha256).not.toBe(view.checksum_sha256);
  });

  it("is told by another version when another file of the same size and time takes its place", async () => {
    const path = join(runs, "j-1/a");
    await writeFile(path, "one");
    const first = await readRun("a");
    await writeFile(join(runs, "j-1/b"), "two");
    await rename(join(runs, "j-1/b"), path);
    const second = await readRun("a");
    expect(second.version).not.toBe(first.version);
    expect(second.content).toBe("two");
  });

  it("comes in parts that make the whole, however they cut its characters", async () => {
    for (let length = 1; length < 10; length++) {
      const parts: Buffer[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const view = await readRun("output/eval_results.json", { offset, length });
        expect(view.content).not.toContain("\ufffd");
        parts.push(Buffer.from(view.content, view.encoding === "base64" ? "base64" : "utf8"));
        expect(view.length).toBe(parts.at(-1)?.length);
        expect(view.length).toBeGreaterThan(0);
        offset = view.next_offset;
      }
      expect(Buffer.concat(parts)).toEqual(report);
    }
  });

  it("that is not text comes in base64", async () => {
    const bytes = Buffer.from([0, 1, 2, 0xff, 0xfe]);
    await writeFile(join(runs, "j-1/x.bin"), bytes);
    expect(await readRun("x.bin")).toMatchObject({
      is_text: false,
      encoding: "base64",
      content: bytes.toString("base64"),
    });
  });

  it("has no part behind its end, and an empty one at its end", async () => {
    await expect(readRun("output/eval_results.json", { offset: report.length + 1 })).rejects.toMatchObject({
      reason: "NODE_FILE_RANGE_INVALID",
    });
    const end = await readRun("output/eval_results.json", { offset: report.length });
    expect(end).toMatchObject({ length: 0, content: "", next_offset: null });
    await writeFile(join(runs, "j-1/empty"), "");
    expect(await readRun("empty", { tail_lines: 3 })).toMatchObject({ length: 0, content: "", is_text: true });
  });

  it.each([
    [1, "c\n"],
    [2, "b\nc\n"],
    [3, "a\nb\nc\n"],
    [9, "a\nb\nc\n"],
  ])("gives its last %i lines", async (tail_lines, content) => {
    await writeFile(join(runs, "j-1/run.log"), "a\nb\nc\n");
    expect(await readRun("run.log", { tail_lines })).toMatchObject({ content, is_truncated: false, next_offset: null });
  });

  it("gives its last line also when it has no end yet, and over many blocks", async () => {
    const lines = Array.from({ length: 30_000 }, (_value, index) => `line ${index} é`);
    await writeFile(join(runs, "j-1/run.log"), lines.join("\n"));
    expect((await readRun("run.log", { tail_lines: 1 })).content).toBe(lines.at(-1));
    expect((await readRun("run.log", { tail_lines: 20_000 })).content).toBe(lines.slice(-20_000).join("\n"));
  });

  it("whose last lines are larger than an answer gives what fits, at the edge of a character", async () => {
    await writeFile(join(runs, "j-1/run.log"), "é".repeat(maxReadBytes / 2 + 10));
    const view = await readRun("run.log", { tail_lines: 1 });
    expect(view).toMatchObject({ is_truncated: true, is_text: true, next_offset: null });
    expect(view.length).toBeLessThanOrEqual(maxReadBytes);
  });

  it("that is written to while it is read says so, and has no checksum then", async () => {
    const path = join(runs, "j-1/large.txt");
    await writeFile(path, "x".repeat(64 * 1024 * 1024));
    const reading = readRun("large.txt", { length: 10 });
    const handle = await open(path, "a");
    for (let time = 0; time < 20; time++) await handle.write("more");
    const view = await reading;
    await handle.close();
    const isSeen = view.is_changing ? view.checksum_sha256 === null : view.checksum_sha256 !== null;
    expect(isSeen).toBe(true);
    const after = await readRun("large.txt");
    expect(after.checksum_sha256).toBe(
      createHash("sha256")
        .update(await readFile(path))
        .digest("hex"),
    );
  });
});

const refused = { reason: "NODE_FILE_NOT_READABLE" };

describe("what is no file of a run", () => {
  it.each([
    ["..", { root: "runs", path: "../secret" }],
    ["deeper ..", { root: "runs", path: "j-1/../../secret" }],
    ["an absolute path below a root", { root: "runs", path: "/etc/passwd" }],
    ["an absolute path", { path: "/etc/passwd" }],
    ["a relative path without a root", { path: "j-1/output/eval_results.json" }],
    ["a folder", { root: "runs", path: "j-1" }],
    ["the root", { root: "runs", path: "." }],
    ["NUL", { root: "runs", path: "j-1\0" }],
    ["nothing", { root: "runs", path: "j-1/nothing" }],
    ["what is unfinished in the cache", { root: "cache", path: ".tmp/model.m/job.json" }],
    ["what is unfinished, the long way", { root: "cache", path: "model/../.tmp/model.m/job.json" }],
    ["a process of the system", { path: "/proc/self/environ" }],
  ])("%s is refused in the same words", async (_name, query) => {
    await expect(read(query)).rejects.toMatchObject(refused);
    const message = await read(query).catch(String);
    expect(message).toBe(await readRun("nothing").catch(String));
  });

  it.each([
    ["a link to a file outside", () => symlink("../../secret", join(runs, "j-1/x"))],
    ["a link to a folder outside", () => symlink("../..", join(runs, "j-1/x"))],
    ["a link to itself", () => symlink("x", join(runs, "j-1/x"))],
    ["a device", () => symlink("/dev/zero", join(runs, "j-1/x"))],
    ["a pipe", async () => execFileSync("mkfifo", [join(runs, "j-1/x")])],
    ["a socket", () => listen(join(runs, "j-1/x"))],
  ])("%s is refused, and holds nobody up", async (_name, plant) => {
    const planted = await plant();
    await expect(readRun("x")).rejects.toMatchObject(refused);
    await expect(readRun("x/secret")).rejects.toMatchObject(refused);
    if (planted !== undefined && "close" in planted) planted.close();
  });

  it("is a file through a link that stays inside", async () => {
    await symlink("output/eval_results.json", join(runs, "j-1/latest"));
    expect(await readRun("latest")).toMatchObject({ path: join(runs, "j-1/output/eval_results.json") });
  });

  it("is never read, however often a link is changed meanwhile", async () => {
    const path = join(runs, "j-1/x");
    await mkdir(join(runs, "j-1/inside"));
    await writeFile(join(runs, "j-1/inside/secret"), "fine");
    const swaps = { isOver: false };
    const swapping = (async () => {
      for (let turn = 0; !swaps.isOver; turn++) {
        await symlink(turn % 2 === 0 ? "../.." : "inside", `${path}.new`);
        await rename(`${path}.new`, path);
      }
      await unlink(path);
    })();
    const outcomes = { fine: 0, refused: 0 };
    for (let turn = 0; turn < 500 || outcomes.fine === 0 || outcomes.refused === 0; turn++) {
      const content = await readRun("x/secret").then(
        (view) => view.content,
        () => "refused",
      );
      expect(["fine", "refused"]).toContain(content);
      outcomes[content as keyof typeof outcomes]++;
    }
    swaps.isOver = true;
    await swapping;
  });
});

async function listen(path: string) {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return server;
}
