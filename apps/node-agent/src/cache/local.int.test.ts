import { execFileSync } from "node:child_process";
import { appendFile, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesIn, findWrongFiles, openTestCache, someBytes, untilEntry } from "./test-cache.fixture.ts";

let base: string;
let root: string;
const weights = someBytes(700_000);
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-cache-local-"));
  root = join(base, "allowed");
  await mkdir(join(root, "model/sub"), { recursive: true });
  await writeFile(join(root, "model/config.json"), "{}");
  await writeFile(join(root, "model/sub/model.safetensors"), weights);
  await writeFile(join(base, "secret"), "secret");
});
afterEach(() => rm(base, { recursive: true, force: true }));

const request = (path: string, more = {}) => ({ kind: "model", key: "m", source: { type: "local", path }, ...more });
const open = (settings = {}, deps = {}) => openTestCache({ roots: [root], ...settings }, deps);

describe("a folder of the node", () => {
  it("is copied as it is, and a file alone too", async () => {
    await using test = await open();
    const view = await test.make(request(join(root, "model")));
    expect(await filesIn(view.path ?? "")).toEqual({
      "config.json": Buffer.from("{}"),
      "sub/model.safetensors": weights,
    });
    const file = await test.make(request(join(root, "model/config.json"), { key: "file" }));
    expect(Object.keys(await filesIn(file.path ?? ""))).toEqual(["config.json"]);
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("with links inside what is allowed, as a hub's own cache has them, is copied with what they lead to", async () => {
    await mkdir(join(root, "blobs"));
    await rename(join(root, "model/config.json"), join(root, "blobs/abc"));
    await symlink("../blobs/abc", join(root, "model/config.json"));
    await using test = await open();
    const view = await test.make(request(join(root, "model")));
    expect(await filesIn(view.path ?? "")).toMatchObject({ "config.json": Buffer.from("{}") });
  });

  it.each([
    ["a folder that is not allowed", () => base],
    ["a way out of an allowed one", () => `${root}/../secret`],
    ["nothing", () => join(root, "nothing")],
    ["a relative path", () => "model"],
    ["a link that leads out", () => join(root, "out")],
  ])("that is %s is refused in the same words", async (_name, path) => {
    await symlink(base, join(root, "out"));
    await using test = await open();
    const view = await test.make(request(path()));
    expect(view).toMatchObject({ state: "failed", failure: { reason: "CACHE_ROOT_REFUSED" } });
    expect(view.failure?.message).toBe("The path is not in a folder of the node that may be prepared from.");
  });

  it("is refused where the operator opened none", async () => {
    await using test = await open({ roots: [] });
    expect(await test.make(request(root))).toMatchObject({ failure: { reason: "CACHE_ROOT_REFUSED" } });
  });

  it.each([
    ["a link that leads out", () => symlink("../../secret", join(root, "model/x"))],
    ["a link to nothing", () => symlink("nowhere", join(root, "model/x"))],
    ["a pipe", async () => execFileSync("mkfifo", [join(root, "model/x")])],
    ["a device", () => symlink("/dev/zero", join(root, "model/x"))],
    ["a socket", () => listen(join(root, "model/x"))],
  ])("with %s in it is refused, and does not hold anybody up", async (_name, plant) => {
    const planted = await plant();
    await using test = await open();
    const view = await test.make(request(join(root, "model")));
    expect(view).toMatchObject({ state: "failed", failure: { reason: "CACHE_FILE_NOT_REGULAR" } });
    expect(view.failure?.message).toContain("`x`");
    if (planted !== undefined && "close" in planted) planted.close();
  });

  it("with links that lead in a circle ends", async () => {
    await symlink("..", join(root, "model/loop"));
    await using test = await open({ maxFiles: 100_000 });
    const view = await test.make(request(join(root, "model")));
    expect(view).toMatchObject({ state: "failed", failure: { reason: "CACHE_PATH_UNSAFE" } });
  });

  it("that is written to while it is copied fails, and the next preparation has it as it is then", async () => {
    const path = join(root, "model/sub/model.safetensors");
    let isTouched = false;
    const step = async (name: string) => {
      if (name !== "file: bytes received" || isTouched) return;
      isTouched = true;
      await appendFile(path, "more");
    };
    await using test = await open({}, { step });
    const source = request(join(root, "model/sub"));
    expect(await test.make(source)).toMatchObject({ state: "failed", failure: { reason: "CACHE_SOURCE_CHANGED" } });
    const view = await test.make(source);
    expect(view).toMatchObject({ state: "ready" });
    expect((await filesIn(view.path ?? ""))["model.safetensors"]).toEqual(
      Buffer.concat([weights, Buffer.from("more")]),
    );
  });

  it("with more files than an entry may have is refused, also when some would be left out", async () => {
    await writeFile(join(root, "model/a.bin"), "x");
    await using test = await open({ maxFiles: 2 });
    const view = await test.make(request(join(root, "model"), { unsafe_files: "skip" }));
    expect(view).toMatchObject({ state: "failed", failure: { reason: "CACHE_TOO_MANY_FILES" } });
  });

  it("is a copy: the original may be written to afterwards", async () => {
    await using test = await open();
    const view = await test.make(request(join(root, "model")));
    await link(join(root, "model/config.json"), join(root, "other"));
    await writeFile(join(root, "model/config.json"), "changed");
    expect((await filesIn(view.path ?? ""))["config.json"]).toEqual(Buffer.from("{}"));
    expect(await test.cache.get({ kind: "model", key: "m" })).toMatchObject({ state: "ready" });
  });

  it("waits for its turn when enough others are being prepared", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const step = async (name: string) => (name === "source: listed" ? promise : undefined);
    await using test = await open({ entriesAtOnce: 1 }, { step });
    const [first, second] = [{ kind: "model", key: "a" } as const, { kind: "model", key: "b" } as const];
    await test.begin(request(join(root, "model"), { key: "a" }));
    await test.begin(request(join(root, "model"), { key: "b" }));
    await untilEntry(test.cache, first, ({ state }) => state === "preparing");
    expect(await test.cache.get(second)).toMatchObject({ state: "queued" });
    resolve();
    await untilEntry(test.cache, second, ({ state }) => state === "ready");
  });
});

async function listen(path: string) {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return server;
}
