import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeFileHost, startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCrashing } from "./run-crashing.fixture.ts";
import { filesRequest, findWrongFiles, openTestCache, sha256Of, someBytes } from "./test-cache.fixture.ts";

let host: FakeFileHost;
let base: string;
const weights = someBytes(3_000_000);
const files = { "config.json": Buffer.from("{}"), "model.safetensors": weights };

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-cache-full-"));
  host = await startFakeFileHost();
  for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
});

const mount = (folder: string, kib: number) => `mount -t tmpfs -o size=${kib}k none ${folder}`;
const canMount = spawnSync("unshare", ["-rm", "sh", "-c", mount("/mnt", 64)]).status === 0;
// oxlint-disable-next-line no-console -- why a test does not run must be seen
if (!canMount) console.warn("skipped: a small file system, as user namespaces cannot be made here");

// Some start processes, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe("a disk that becomes full", () => {
  it("fails with its reason at a limit of file size, and the next preparation goes on", async () => {
    const root = join(base, "limit");
    const request = filesRequest(host.urlOf, files);
    // In blocks of 512 bytes or of 1024, as the shell has it: more than a manifest, less than the file.
    const limited = await runCrashing({ root, request, crashAt: 0 }, ["sh", "-c", 'ulimit -f 2000; exec "$@"', "sh"]);
    expect(limited.end).toMatchObject({ state: "failed", failure: { reason: "CACHE_DISK_FULL" } });
    expect(await findWrongFiles(root)).toEqual([]);
    const whole = await runCrashing({ root, request, crashAt: 0 });
    expect(whole.end).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(root)).toEqual([]);
  });

  it.skipIf(!canMount).each([
    { name: "before it writes, with no tenth to spare", kib: 3000, fillBytes: 0, last: "leftovers: checked" },
    { name: "while it writes, when others take the room", kib: 8000, fillBytes: 6_000_000, last: "file: opened" },
  ])("fails with its reason on a small file system $name", async ({ kib, fillBytes, last }) => {
    const root = join(base, `small-${kib}`);
    await mkdir(root);
    const fill = { at: "file: opened", path: join(root, "other"), bytes: fillBytes };
    const command = ["unshare", "-rm", "sh", "-c", `${mount(root, kib)} && exec "$@"`, "sh"];
    const order = { root, request: filesRequest(host.urlOf, { "model.safetensors": weights }), crashAt: 0, fill };
    const { end, steps } = await runCrashing(order, command);
    expect(end).toMatchObject({ state: "failed", failure: { reason: "CACHE_DISK_FULL" } });
    expect(steps).toContain(last);
    expect(steps).not.toContain("file: in its place");
  });

  it("refuses a request that cannot be noted, and is left with nothing of it", async () => {
    const root = join(base, "unnoted");
    const request = filesRequest(host.urlOf, files);
    const limited = await runCrashing({ root, request, crashAt: 0 }, ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"]);
    expect(limited.end).toEqual({ state: "refused", failure: { reason: "CACHE_DISK_FULL" }, entries: 0 });
    expect(limited.steps).toEqual([]);
    expect(await readdir(join(root, ".requests"))).toEqual([]);
  });

  it("lets the agent start, with what was accepted before kept until there is room again", async () => {
    const root = join(base, "accepted");
    const source = { type: "local", path: join(base, "local") };
    await mkdir(source.path);
    await writeFile(join(source.path, "config.json"), "{}");
    const id = { kind: "model", key: "m" } as const;
    await runCrashing({ root, accept: [{ ...id, source }], crashAt: 0, roots: [base] });
    const limit = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"];
    const limited = await runCrashing({ root, crashAt: 0, roots: [base] }, limit);
    expect([limited.errors, limited.steps]).toEqual(["", []]);
    await using after = await openTestCache({ roots: [base] }, { root });
    await after.cache.settled(id);
    expect(await after.cache.get(id)).toMatchObject({ state: "ready" });
  });

  it("is seen before anything is fetched when there is no room at all", async () => {
    await using test = await openTestCache({ maxEntryBytes: Number.MAX_SAFE_INTEGER });
    const before = host.requests.length;
    const size = 2 ** 52;
    const source = {
      type: "files",
      files: [{ path: "a", url: host.urlOf("a"), size_bytes: size, checksum_sha256: sha256Of(Buffer.alloc(0)) }],
    };
    const view = await test.make({ kind: "model", key: "m", source });
    expect(view).toMatchObject({ state: "failed", failure: { reason: "CACHE_DISK_FULL", retryable: true } });
    expect(host.requests.length).toBe(before);
  });
});
