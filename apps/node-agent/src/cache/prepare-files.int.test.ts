import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FakeFileHost, type FileFault, startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  filesRequest,
  findWrongFiles,
  openTestCache,
  sha256Of,
  someBytes,
  testSettings,
  untilEntry,
} from "./test-cache.fixture.ts";

let host: FakeFileHost;
const weights = someBytes(300_000);
const files = { "config.json": Buffer.from('{"a":1}'), "sub/model.safetensors": weights, empty: Buffer.alloc(0) };

beforeAll(async () => {
  host = await startFakeFileHost();
  for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
});
afterAll(() => host[Symbol.asyncDispose]());

const request = (more = {}) => filesRequest(host.urlOf, files, more);

describe("files by their addresses", () => {
  it("become an entry with a manifest, and are there at once when asked for again", async () => {
    await using test = await openTestCache();
    const view = await test.make(request());
    expect(view).toMatchObject({ state: "ready", size_bytes: 300_007, file_count: 3, failure: null, progress: null });
    expect(await readFile(join(view.path ?? "", "sub/model.safetensors"))).toEqual(weights);
    const manifest = JSON.parse(await readFile(join(test.root, "model/m/manifest.json"), "utf8"));
    expect(
      manifest.files.map((file: { path: string; size: number; sha256: string }) => [file.path, file.sha256]),
    ).toEqual(
      Object.entries(files)
        .map(([path, bytes]) => [path, sha256Of(bytes)])
        .sort(([left], [right]) => (String(left) < String(right) ? -1 : 1)),
    );
    const asked = host.requests.length;
    expect(await test.begin(request())).toMatchObject({ state: "ready", path: view.path });
    expect(host.requests.length).toBe(asked);
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("are the same content under fresh links, and another content has no place under their key", async () => {
    await using test = await openTestCache();
    await test.make(request());
    const fresh = filesRequest((path) => `${host.urlOf(path)}?signature=other`, files);
    expect(await test.make(fresh)).toMatchObject({ state: "ready" });
    const other = filesRequest(host.urlOf, { "config.json": files["config.json"] });
    await expect(test.make(other)).rejects.toMatchObject({ reason: "CACHE_KEY_TAKEN" });
  });

  it("tell how far they are while they come, and a second caller joins", async () => {
    await using test = await openTestCache({ idleTimeoutMs: 60_000 });
    host.failNext("sub/model.safetensors", { type: "stall", after: 100_000 });
    const id = { kind: "model", key: "m" } as const;
    expect(await test.begin(request())).toMatchObject({ state: "queued" });
    const half = await untilEntry(test.cache, id, ({ progress }) => (progress?.bytes_done ?? 0) >= 100_007);
    expect(half).toMatchObject({
      state: "preparing",
      path: null,
      progress: { stage: "fetching", bytes_total: 300_007 },
    });
    const asked = host.requests.length;
    expect(await test.begin(request())).toMatchObject({ state: "preparing" });
    expect(host.requests.length).toBe(asked);
    expect((await test.cache.list()).items).toHaveLength(1);
    expect(await test.cache.cancel(id)).toMatchObject({ state: "cancelled", failure: { reason: "CACHE_CANCELLED" } });
    expect((await test.cache.usage()).unfinishedBytes).toBe(0);
    expect(await test.make(request())).toMatchObject({ state: "ready" });
  });
});

/** Silence is waited for where it is to come, and nowhere else. */
const patience = ({ type }: FileFault) => (type === "stall" ? { idleTimeoutMs: 300 } : {});
const weightsPath = "sub/model.safetensors";
const faults: [string, FileFault, object][] = [
  ["a connection that breaks", { type: "cut", after: 100_000 }, {}],
  ["a body that stalls", { type: "stall", after: 100_000 }, {}],
  ["a body that is too short", { type: "short", bytes: 1000 }, { resumes: true }],
  ["503 with Retry-After", { type: "status", status: 503, headers: { "retry-after": "0" } }, {}],
  ["429", { type: "status", status: 429 }, {}],
  ["a wrong byte", { type: "corrupt", at: 5 }, {}],
];

describe("a source with a fault that passes", () => {
  it.each(faults)(
    "%s: the entry is right in the end",
    async (_name, fault, { resumes = false }: { resumes?: boolean }) => {
      await using test = await openTestCache(patience(fault));
      host.failNext(weightsPath, fault);
      const before = host.requests.length;
      expect(await test.make(request())).toMatchObject({ state: "ready" });
      expect(await findWrongFiles(test.root)).toEqual([]);
      // How much of a body was read before its connection broke is for the machine to decide.
      const ranges = host.requests.slice(before).map(({ headers }) => headers.range);
      expect(!resumes || ranges.some((range) => range !== undefined)).toBe(true);
    },
  );

  it("takes all of it when the rest is another version", async () => {
    await using test = await openTestCache();
    host.failNext(weightsPath, { type: "short", bytes: 100_000 });
    host.failNext(weightsPath, { type: "no_range" });
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    host.failNext(weightsPath, { type: "short", bytes: 100_000 });
    host.failNext(weightsPath, { type: "wrong_range" });
    expect(await test.make(request({ key: "n" }))).toMatchObject({ state: "ready" });
    host.failNext(weightsPath, { type: "short", bytes: 100_000 });
    host.failNext(weightsPath, { type: "status", status: 416 });
    expect(await test.make(request({ key: "o" }))).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("sends the ETag of what has come as If-Range", async () => {
    await using test = await openTestCache();
    host.failNext(weightsPath, { type: "short", bytes: 100_000 });
    await test.make(request());
    const { headers } = host.requests.at(-1) ?? {};
    const rest = host.requests.findLast((one) => one.headers.range !== undefined);
    expect(headers).toBeDefined();
    expect(rest?.headers["if-range"]).toMatch(/^"[0-9a-f]{32}"$/);
  });
});

const refusals: [string, FileFault, string][] = [
  ["404", { type: "status", status: 404 }, "CACHE_SOURCE_NOT_FOUND"],
  ["403 of a link that has expired", { type: "status", status: 403 }, "CACHE_SOURCE_DENIED"],
  ["418", { type: "status", status: 418 }, "CACHE_SOURCE_INVALID"],
  ["500 that stays", { type: "status", status: 500 }, "CACHE_SOURCE_FAILED"],
  [
    "too long a Retry-After",
    { type: "status", status: 503, headers: { "retry-after": "3600" } },
    "CACHE_SOURCE_FAILED",
  ],
  ["a wrong byte each time", { type: "corrupt", at: 5 }, "CACHE_CHECKSUM_MISMATCH"],
  ["a body that is too long", { type: "long", bytes: 1 }, "CACHE_SIZE_MISMATCH"],
  ["a body that is too short each time", { type: "short", bytes: 0 }, "CACHE_SOURCE_FAILED"],
  ["silence each time", { type: "stall", after: 0 }, "CACHE_SOURCE_TIMEOUT"],
  ["compression", { type: "compressed" }, "CACHE_SOURCE_INVALID"],
  ["a redirect to nowhere", { type: "status", status: 302 }, "CACHE_REDIRECT_REFUSED"],
];

describe("a source with a fault that stays", () => {
  it.each(refusals)("%s: fails with its reason, and succeeds when it is gone", async (_name, fault, reason) => {
    await using own = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) own.put(path, bytes);
    await using test = await openTestCache(patience(fault));
    own.failNext(weightsPath, fault, 3);
    const wanted = filesRequest(own.urlOf, files);
    const view = await test.make(wanted);
    expect(view).toMatchObject({ state: "failed", path: null, failure: { reason } });
    expect(view.failure?.message).toContain(weightsPath);
    expect(view.failure?.message).not.toContain(own.urlOf(weightsPath));
    expect(await findWrongFiles(test.root)).toEqual([]);
    await using again = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) again.put(path, bytes);
    expect(await test.make(filesRequest(again.urlOf, files))).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("has another size than was said", async () => {
    await using test = await openTestCache();
    const wrong = filesRequest(host.urlOf, { "config.json": Buffer.from('{"a":12}') });
    const view = await test.make(wrong);
    expect(view.failure).toMatchObject({ reason: "CACHE_SIZE_MISMATCH", retryable: false });
  });

  it("redirects without end", async () => {
    await using loop = await startHttpFixture((_request, response) => {
      response.writeHead(302, { location: "/again" }).end();
    });
    await using test = await openTestCache();
    const view = await test.make(filesRequest((path) => `${loop.origin}/${path}`, { a: Buffer.from("a") }));
    expect(view.failure).toMatchObject({ reason: "CACHE_REDIRECT_REFUSED" });
    expect(loop.requests.length).toBe(6);
  });

  it("keeps what came, and a later request goes on with it", async () => {
    await using own = await startFakeFileHost();
    own.put("a", weights);
    await using test = await openTestCache();
    own.failNext("a", { type: "short", bytes: 200_000 });
    own.failNext("a", { type: "status", status: 403 });
    const wanted = filesRequest(own.urlOf, { a: weights });
    expect(await test.make(wanted)).toMatchObject({ state: "failed", failure: { reason: "CACHE_SOURCE_DENIED" } });
    const view = await test.begin(wanted);
    await test.cache.settled(view);
    expect(await test.cache.get(view)).toMatchObject({ state: "ready" });
    const [, second, third] = own.requests.map(({ headers }) => headers.range);
    expect([second, third]).toEqual([expect.stringMatching(/^bytes=\d+-$/), second]);
  });
});

describe("a hostile request", () => {
  it.each([
    ["../x", "CACHE_PATH_UNSAFE"],
    ["/etc/passwd", "CACHE_PATH_UNSAFE"],
    ["a/../../x", "CACHE_PATH_UNSAFE"],
    ["a\\b", "CACHE_PATH_UNSAFE"],
    ["C:/x", "CACHE_PATH_UNSAFE"],
    ["a\0b", "CACHE_PATH_UNSAFE"],
    ["CONFIG.json", "CACHE_PATHS_COLLIDE"],
    ["config.json/x", "CACHE_PATHS_COLLIDE"],
    ["pytorch_model.bin", "CACHE_FILE_TYPE_UNSAFE"],
  ])("with a file %j is refused before anything is fetched", async (path, reason) => {
    await using test = await openTestCache();
    const before = host.requests.length;
    const urlOf = (name: string) => host.urlOf(encodeURIComponent(name));
    const view = await test.make(filesRequest(urlOf, { ...files, [path]: Buffer.from("x") }));
    expect(view).toMatchObject({ state: "failed", failure: { reason } });
    expect(host.requests.length).toBe(before);
  });

  it("with too many or too large files is refused", async () => {
    await using test = await openTestCache({ maxFiles: 2 });
    expect((await test.make(request())).failure?.reason).toBe("CACHE_TOO_MANY_FILES");
    await using small = await openTestCache({ maxEntryBytes: 300_000 });
    expect((await small.make(request())).failure?.reason).toBe("CACHE_TOO_LARGE");
  });

  it("leaves unsafe files out, or takes them, when it says so", async () => {
    await using test = await openTestCache();
    host.put("pytorch_model.bin", Buffer.from("x"));
    const all = { ...files, "pytorch_model.bin": Buffer.from("x") };
    const skipped = await test.make(filesRequest(host.urlOf, all, { unsafe_files: "skip" }));
    expect(skipped).toMatchObject({ state: "ready", file_count: 3, skipped_files: ["pytorch_model.bin"] });
    const allowed = await test.make(filesRequest(host.urlOf, all, { unsafe_files: "allow", key: "n" }));
    expect(allowed).toMatchObject({ state: "ready", file_count: 4, skipped_files: [] });
    const refused = filesRequest(host.urlOf, all, { key: "n" });
    await expect(test.make(refused)).rejects.toMatchObject({ reason: "CACHE_KEY_TAKEN" });
  });

  it.each([
    "ftp://example.org/x",
    "file:///etc/passwd",
    "http://user:pass@example.org/x",
    "http://exa mple.org/",
    "//x/y",
  ])("with the address %s is refused at once", async (url) => {
    await using test = await openTestCache();
    const wanted = filesRequest(() => url, { a: Buffer.from("a") });
    const refusal = await test.make(wanted).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ reason: "CACHE_URL_INVALID" });
    expect(String(refusal)).not.toContain("pass@");
  });

  it("reaches no address that is not public, nor one behind a redirect, and no cloud's metadata", async () => {
    await using open = await startHttpFixture(
      (_request, response) => {
        response.writeHead(302, { location: host.urlOf("config.json") }).end();
      },
      { host: "127.0.0.3" },
    );
    await using test = await openTestCache({ ...testSettings, allowedHosts: ["127.0.0.3"] });
    const before = host.connectionCount;
    const urls = [
      host.urlOf("config.json"),
      `http://localhost:${host.port}/config.json`,
      `http://[::ffff:127.0.0.1]:${host.port}/config.json`,
      `http://2130706433:${host.port}/config.json`,
      `${open.origin}/config.json`,
      "http://169.254.169.254/latest/meta-data/",
      "http://10.0.0.1:8080/",
    ];
    for (const [index, url] of urls.entries()) {
      const view = await test.make(
        filesRequest(() => url, { "config.json": files["config.json"] }, { key: `k${index}` }),
      );
      expect([url, view.failure?.reason]).toEqual([url, "CACHE_ADDRESS_REFUSED"]);
    }
    expect(open.requests.length).toBe(1);
    expect(host.connectionCount).toBe(before);
  });
});
