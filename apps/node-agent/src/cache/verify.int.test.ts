import { chmod, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FakeFileHost, startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesRequest, findWrongFiles, openTestCache, someBytes, type TestCache } from "./test-cache.fixture.ts";

let host: FakeFileHost;
const files = { "config.json": Buffer.from("{}"), "model.safetensors": someBytes(50_000) };
const id = { kind: "model", key: "m" } as const;

beforeAll(async () => {
  host = await startFakeFileHost();
  for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
});
afterAll(() => host[Symbol.asyncDispose]());

const request = () => filesRequest(host.urlOf, files);

async function verify({ cache }: TestCache) {
  const begun = await cache.verify(id);
  expect(begun).toMatchObject({ state: "queued" });
  await cache.settled(id);
  return cache.get(id);
}

/** Changes one bit; `isSeen`: so that the file system tells of it. */
async function flipBit(path: string, isSeen: boolean): Promise<void> {
  const before = await stat(path);
  const bytes = await readFile(path);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  await chmod(path, 0o644);
  await writeFile(path, bytes);
  if (!isSeen) await utimes(path, before.atime, before.mtime);
}

const weightsOf = (root: string) => join(root, "model/m/files/model.safetensors");

describe("an entry that is verified", () => {
  it("is as it was, with the time of it, when all fits", async () => {
    await using test = await openTestCache();
    const made = await test.make(request());
    const verified = await verify(test);
    expect(verified).toMatchObject({ state: "ready", path: made.path });
    expect(Date.parse(verified.verified_at ?? "")).toBeGreaterThanOrEqual(Date.parse(made.verified_at ?? ""));
    expect(await test.make(request())).toMatchObject({ state: "ready" });
  });

  it("is set aside when a bit is wrong that nothing else tells of, and made again from what fits", async () => {
    await using test = await openTestCache();
    await test.make(request());
    await flipBit(weightsOf(test.root), false);
    expect(await verify(test)).toMatchObject({
      state: "damaged",
      path: null,
      failure: { reason: "CACHE_ENTRY_DAMAGED", message: expect.stringContaining("model.safetensors") },
    });
    expect(await findWrongFiles(test.root)).toEqual([]);
    const before = host.requests.length;
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    expect(host.requests.slice(before).map(({ url }) => url)).toEqual(["/model.safetensors"]);
    expect(await findWrongFiles(test.root)).toEqual([]);
    expect((await test.cache.usage()).unfinishedBytes).toBe(0);
  });

  it("stays in its place while it is used, and nothing else may use it", async () => {
    const uses: { path: string; by: string }[] = [];
    await using test = await openTestCache({}, { listUses: () => uses });
    const { path } = await test.make(request());
    uses.push({ path: join(path ?? "", "model.safetensors"), by: "job j-1" });
    await flipBit(weightsOf(test.root), false);
    expect(await verify(test)).toMatchObject({ state: "damaged", path: null, used_by: ["job j-1"] });
    expect(await stat(weightsOf(test.root))).toBeDefined();
    expect(await test.make(request())).toMatchObject({ state: "damaged" });
    await expect(test.cache.remove(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_IN_USE" });
    uses.length = 0;
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("that is not there is not known", async () => {
    await using test = await openTestCache();
    for (const what of ["verify", "get", "remove", "cancel"] as const) {
      await expect(test.cache[what](id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
    }
  });
});

describe("an entry that was changed", () => {
  const changes: [string, (root: string) => Promise<unknown>][] = [
    ["a wrong bit", (root) => flipBit(weightsOf(root), true)],
    ["another size", (root) => chmod(weightsOf(root), 0o644).then(() => writeFile(weightsOf(root), "x"))],
    ["a file less", (root) => rm(weightsOf(root))],
    ["a file more", (root) => writeFile(join(root, "model/m/files/adapter_config.json"), "{}")],
    ["a link in place of a file", (root) => rm(weightsOf(root)).then(() => symlink("/etc/passwd", weightsOf(root)))],
    ["no manifest", (root) => rm(join(root, "model/m/manifest.json"))],
    ["a manifest without sense", (root) => writeFile(join(root, "model/m/manifest.json"), "{")],
  ];

  it.each(changes)("with %s is not told to be ready, and is made again", async (_name, change) => {
    await using test = await openTestCache();
    await test.make(request());
    await change(test.root);
    expect(await test.cache.get(id)).toMatchObject({ state: "damaged", path: null });
    expect((await test.cache.list()).items).toMatchObject([{ state: "damaged", path: null }]);
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("in its times only is hashed again, and then is as before without being fetched", async () => {
    await using test = await openTestCache();
    await test.make(request());
    await utimes(weightsOf(test.root), 1, 1);
    expect(await test.cache.get(id)).toMatchObject({ state: "damaged" });
    const before = host.requests.length;
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    expect(host.requests.length).toBe(before);
  });
});

describe("an entry that is removed", () => {
  it("is gone with its bytes, unless something uses it or works on it", async () => {
    const uses: { path: string; by: string }[] = [];
    await using test = await openTestCache({ idleTimeoutMs: 60_000 }, { listUses: () => uses });
    const { path } = await test.make(request());
    expect(await test.cache.usage()).toMatchObject({ entries: 1, unfinishedBytes: 0 });
    uses.push({ path: path ?? "", by: "session s-1" });
    expect(await test.cache.get(id)).toMatchObject({ used_by: ["session s-1"] });
    await expect(test.cache.remove(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_IN_USE" });
    uses.length = 0;
    await test.cache.remove(id);
    expect(await test.cache.usage()).toMatchObject({ entries: 0, sizeBytes: 0, unfinishedBytes: 0 });
    host.failNext("model.safetensors", { type: "stall", after: 10 });
    await test.begin(request());
    await expect(test.cache.remove(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_BUSY" });
    await test.cache.cancel(id);
    await test.cache.remove(id);
    expect((await test.cache.list()).items).toEqual([]);
  });

  it("is not removed when it is used through a link, or when nobody can tell what is used", async () => {
    const uses: { path: string; by: string }[] = [];
    let isKnown = true;
    const listUses = () => {
      if (!isKnown) throw new Error("unreadable");
      return uses;
    };
    await using test = await openTestCache({}, { listUses });
    const { path } = await test.make(request());
    await symlink(path ?? "", join(test.root, "alias"));
    uses.push({ path: join(test.root, "alias/config.json"), by: "job j-1" });
    await expect(test.cache.remove(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_IN_USE" });
    uses.length = 0;
    isKnown = false;
    expect(await test.cache.get(id)).toMatchObject({ state: "ready" });
    await expect(test.cache.remove(id)).rejects.toMatchObject({ reason: "CACHE_ENTRY_IN_USE" });
    isKnown = true;
    await test.cache.remove(id);
  });
});
