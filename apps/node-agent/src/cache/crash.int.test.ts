import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeFileHost, startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCrashing } from "./run-crashing.fixture.ts";
import { filesRequest, findWrongFiles, openTestCache, someBytes } from "./test-cache.fixture.ts";

let host: FakeFileHost;
let base: string;
const files = { "config.json": Buffer.from('{"a":1}'), "sub/model.safetensors": someBytes(40_000) };
const id = { kind: "model", key: "m" } as const;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-cache-crash-"));
  host = await startFakeFileHost();
  for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
});

// Each starts dozens of processes.
vi.setConfig({ testTimeout: 180_000 });

/** Without what was to become one when a process was killed: that is removed later. */
const notesIn = async (root: string) =>
  (await readdir(join(root, ".requests"))).filter((name) => name.endsWith(".json"));

/** Kills the process at each of its steps, one run for each, two at a time, until a run comes to its end. */
async function killEverywhere(run: (crashAt: number) => Promise<{ steps: readonly string[]; signal: string | null }>) {
  const killedAt: string[] = [];
  let isOver = false;
  let next = 1;
  const lane = async () => {
    while (!isOver) {
      const { steps, signal } = await run(next++);
      if (signal === null) isOver = true;
      else killedAt.push(steps.at(-1) ?? "before the first step");
    }
  };
  await Promise.all([lane(), lane()]);
  return killedAt;
}

describe("a process that is killed", () => {
  it("at any step of a preparation leaves no wrong file, and the next one succeeds", async () => {
    const request = filesRequest(host.urlOf, files);
    const killedAt = await killEverywhere(async (crashAt) => {
      const root = join(base, `prepare-${crashAt}`);
      const outcome = await runCrashing({ root, request, crashAt });
      expect(outcome.errors).toBe("");
      expect(await findWrongFiles(root)).toEqual([]);
      await using after = await openTestCache({}, { root });
      expect(["interrupted", "ready"]).toContain((await after.cache.get(id)).state);
      expect(await after.make(request)).toMatchObject({ state: "ready", failure: null });
      expect(await findWrongFiles(root)).toEqual([]);
      expect((await after.cache.usage()).unfinishedBytes).toBe(0);
      expect(await notesIn(root)).toEqual([]);
      return outcome;
    });
    expect(new Set(killedAt)).toEqual(
      new Set([
        "request: noted",
        "lock: taken",
        "work: noted",
        "source: listed",
        "leftovers: checked",
        "file: opened",
        "file: version noted",
        "file: bytes received",
        "file: received",
        "file: durable",
        "file: noted as complete",
        "file: in its place",
        "files: complete",
        "manifest: written",
        "folders: durable",
        "entry: in its place",
        "entry: durable",
        "work: removed",
        "lock: released",
        "request: done with",
      ]),
    );
  });

  it("at any step of what needs no link leaves it to the next one, which makes it without being asked", async () => {
    const source = { type: "local", path: join(base, "plain") };
    await mkdir(source.path, { recursive: true });
    await writeFile(join(source.path, "config.json"), "{}");
    await killEverywhere(async (crashAt) => {
      const root = join(base, `unasked-${crashAt}`);
      const outcome = await runCrashing({ root, request: { ...id, source }, crashAt, roots: [base] });
      await using after = await openTestCache({ roots: [base] }, { root });
      await after.cache.settled(id);
      expect(await after.cache.get(id)).toMatchObject({ state: "ready" });
      expect(await notesIn(root)).toEqual([]);
      return outcome;
    });
  });

  it("at any step of taking over what another one accepted leaves all of it to the next one", async () => {
    const source = { type: "local", path: join(base, "plain") };
    await mkdir(source.path, { recursive: true });
    await writeFile(join(source.path, "config.json"), "{}");
    const ids = ["a", "b", "c"].map((key) => ({ kind: "model", key }) as const);
    const killedAt = await killEverywhere(async (crashAt) => {
      const root = join(base, `taken-over-${crashAt}`);
      await runCrashing({ root, accept: ids.map((one) => ({ ...one, source })), crashAt: 0, roots: [base] });
      const outcome = await runCrashing({ root, crashAt, roots: [base] });
      await using after = await openTestCache({ roots: [base] }, { root });
      for (const one of ids) {
        await after.cache.settled(one);
        expect(await after.cache.get(one)).toMatchObject({ state: "ready" });
      }
      expect(await findWrongFiles(root)).toEqual([]);
      expect(await notesIn(root)).toEqual([]);
      return outcome;
    });
    expect(killedAt).toContain("request: noted");
  });

  it("again and again, a step later each time, comes to the end and fetches no complete file twice", async () => {
    const root = join(base, "again");
    const request = filesRequest(host.urlOf, files);
    const before = host.requests.length;
    let crashAt = 1;
    while ((await runCrashing({ root, request, crashAt })).signal !== null) crashAt += 3;
    expect(crashAt).toBeGreaterThan(10);
    expect(await findWrongFiles(root)).toEqual([]);
    const asked = host.requests.slice(before);
    const whole = asked.filter(({ url, headers }) => url === "/config.json" && headers.range === undefined);
    expect(whole.length).toBeLessThan(5);
  });

  it("at any step of making a damaged entry anew leaves no wrong file, and the next one succeeds", async () => {
    const weights = files["sub/model.safetensors"];
    const request = filesRequest(host.urlOf, { "sub/model.safetensors": weights });
    const killedAt = await killEverywhere(async (crashAt) => {
      const root = join(base, `anew-${crashAt}`);
      await using before = await openTestCache({}, { root });
      const { path } = await before.make(request);
      await chmod(join(path ?? "", "sub/model.safetensors"), 0o644);
      await appendFile(join(path ?? "", "sub/model.safetensors"), "more");
      const outcome = await runCrashing({ root, request, crashAt });
      await using after = await openTestCache({}, { root });
      expect(await after.make(request)).toMatchObject({ state: "ready", failure: null });
      expect(await findWrongFiles(root)).toEqual([]);
      expect((await after.cache.usage()).unfinishedBytes).toBe(0);
      return outcome;
    });
    expect(killedAt).toContain("entry: set aside");
  });

  it("at any step of setting a damaged entry aside leaves nothing that may be used", async () => {
    const request = filesRequest(host.urlOf, files);
    const killedAt = await killEverywhere(async (crashAt) => {
      const root = join(base, `verify-${crashAt}`);
      await using before = await openTestCache({}, { root });
      const { path } = await before.make(request);
      await flipByte(join(path ?? "", "sub/model.safetensors"));
      const outcome = await runCrashing({ root, verify: [id], crashAt });
      await using after = await openTestCache({}, { root });
      expect(await after.cache.get(id)).toMatchObject({ state: "damaged", path: null });
      expect(await after.make(request)).toMatchObject({ state: "ready" });
      expect(await findWrongFiles(root)).toEqual([]);
      return outcome;
    });
    expect(new Set(killedAt)).toEqual(new Set(["damage: noted", "damage: set aside"]));
  });

  it("while it removes an entry leaves all of it or nothing that is seen", async () => {
    const request = filesRequest(host.urlOf, files);
    const killedAt = await killEverywhere(async (crashAt) => {
      const root = join(base, `remove-${crashAt}`);
      await using before = await openTestCache({}, { root });
      await before.make(request);
      const outcome = await runCrashing({ root, remove: [id], crashAt });
      await using after = await openTestCache({}, { root });
      await expect(after.cache.get(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
      expect(await after.make(request)).toMatchObject({ state: "ready" });
      return outcome;
    });
    expect(killedAt).toEqual(["entry: removed"]);
  });
});

/** Changes one byte and nothing that the file system tells of the file. */
async function flipByte(path: string): Promise<void> {
  const times = await stat(path);
  const bytes = await readFile(path);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
  await utimes(path, times.atime, times.mtime);
}

describe("what a killed process has left", () => {
  it("is told at the next start; what needs no link is gone on with, the rest is kept until it is asked for", async () => {
    const root = join(base, "left");
    const local = join(base, "local-model");
    await cp(import.meta.dirname, local, { recursive: true });
    await runCrashing({ root, request: filesRequest(host.urlOf, files), crashAt: 9 });
    const localRequest = { kind: "model", key: "local", source: { type: "local", path: local } };
    await runCrashing({ root, request: localRequest, crashAt: 9, roots: [base] });
    await using after = await openTestCache({ roots: [base] }, { root });
    const told = after.cache.leftovers.map(({ name, outcome }) => [name, outcome]);
    expect(Object.fromEntries(told)).toEqual({ "model.local": "resumed", "model.m": "kept" });
    await after.cache.settled({ kind: "model", key: "local" });
    expect(await after.cache.get({ kind: "model", key: "local" })).toMatchObject({ state: "ready" });
    expect(await after.cache.get(id)).toMatchObject({ state: "interrupted", failure: { reason: "CACHE_INTERRUPTED" } });
    expect(await findWrongFiles(root)).toEqual([]);
  });

  it("is removed when it is too old, or makes no sense", async () => {
    const root = join(base, "old");
    await runCrashing({ root, request: filesRequest(host.urlOf, files), crashAt: 9 });
    await using after = await openTestCache({ keepUnfinishedMs: -1 }, { root });
    expect(after.cache.leftovers).toMatchObject([{ name: "model.m", outcome: "removed" }]);
    await expect(after.cache.get(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
  });

  it("is of use only when it fits: spoiled parts are fetched anew", async () => {
    const request = filesRequest(host.urlOf, files);
    for (const crashAt of [9, 13, 20]) {
      const root = join(base, `spoiled-${crashAt}`);
      await runCrashing({ root, request, crashAt });
      await spoilAll(join(root, ".tmp"));
      await using after = await openTestCache({}, { root });
      expect(await after.make(request)).toMatchObject({ state: "ready" });
      expect(await findWrongFiles(root)).toEqual([]);
    }
  });
});

async function spoilAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name.endsWith(".json")) continue;
    await chmod(path, 0o644);
    await appendFile(path, "spoiled");
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(7, 0, 3).subarray(0, -7));
  }
}
