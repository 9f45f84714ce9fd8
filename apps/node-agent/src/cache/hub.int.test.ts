import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { type FakeHub, startFakeHub } from "@attune/testkit/fake-hub.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesIn, findWrongFiles, openTestCache, sha256Of, someBytes } from "./test-cache.fixture.ts";

const token = "hf_averysecrettoken";
const weights = someBytes(200_000);
const files = {
  "config.json": Buffer.from('{"model_type":"llama"}'),
  "README.md": Buffer.from("# A model\n"),
  "tokenizer/tokenizer.json": Buffer.from("{}"),
  "with space & ünïcode#?.txt": Buffer.from("x"),
  "model.safetensors": weights,
};
const repo = { kind: "model", id: "owner/tiny-llama", files, lfs: ["model.safetensors"] } as const;
const request = (more = {}, source = {}) => ({
  kind: "model",
  source: { type: "hub", repo_id: "owner/tiny-llama", ...source },
  ...more,
});

let hub: FakeHub;
beforeEach(async () => {
  hub = await startFakeHub({ token, pageSize: 2 });
});
afterEach(() => hub[Symbol.asyncDispose]());

const open = (settings = {}, deps = {}) =>
  openTestCache({ hubEndpoint: hub.endpoint, allowedHosts: ["127.0.0.2"], ...settings }, deps);

describe("a model of a hub", () => {
  it("comes whole, at one commit, small files checked as git objects and large ones by their sha256", async () => {
    const commit = hub.commit(repo);
    await using test = await open();
    const view = await test.make(request());
    expect(view).toMatchObject({ state: "ready", key: "owner-tiny-llama-main", revision: commit, file_count: 5 });
    expect(await filesIn(view.path ?? "")).toEqual(files);
    expect(await findWrongFiles(test.root)).toEqual([]);
    const paths = hub.hub.requests.map(({ url }) => url);
    expect(paths.filter((path) => path.includes("/resolve/")).every((path) => path.includes(commit))).toBe(true);
    expect(paths.filter((path) => path.includes("/tree/")).length).toBe(3);
  });

  it("is given the token at the hub itself and nowhere else, and tells it to nobody", async () => {
    hub.commit({ ...repo, isPrivate: true });
    const lines: string[] = [];
    const logger = createLogger("test", "debug", { write: (line: string) => void lines.push(line) });
    await using test = await open({ hubToken: new Secret(token) }, { logger });
    const view = await test.make(request());
    expect(view).toMatchObject({ state: "ready" });
    expect(hub.hub.requests.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
    expect(hub.cdn.requests.length).toBe(1);
    expect(hub.cdn.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    const told = JSON.stringify([
      view,
      await test.cache.list(),
      lines,
      Object.values(await filesIn(test.root)).map(String),
    ]);
    expect(told).not.toContain(token);
    expect(told).not.toContain("Signature");
  });

  it("may be asked for with a token of the caller, which is not kept either", async () => {
    hub.commit({ ...repo, isPrivate: true });
    await using test = await open();
    const refused = await test.make(request());
    expect(refused).toMatchObject({ state: "failed", failure: { reason: "CACHE_SOURCE_NOT_FOUND" } });
    hub.failNext(500, {}, 100);
    const failed = await test.make(request({}, { token }));
    expect(failed).toMatchObject({ state: "failed", failure: { reason: "CACHE_SOURCE_FAILED" } });
    expect(JSON.stringify(await filesIn(join(test.root, ".tmp")))).not.toContain(token);
    await using fresh = await startFakeHub({ token });
    fresh.commit({ ...repo, isPrivate: true });
    await using other = await openTestCache({ hubEndpoint: fresh.endpoint, allowedHosts: ["127.0.0.2"] });
    expect(await other.make(request({}, { token }))).toMatchObject({ state: "ready" });
  });

  it("of which a part is wanted comes in part", async () => {
    hub.commit({ ...repo, files: { ...files, "pytorch_model.bin": weights } });
    await using test = await open();
    const refused = await test.make(request());
    expect(refused).toMatchObject({ state: "failed", failure: { reason: "CACHE_FILE_TYPE_UNSAFE" } });
    const part = await test.make(request({}, { include: ["*.json", "*.safetensors"], exclude: ["tokenizer/*"] }));
    expect(Object.keys(await filesIn(part.path ?? "")).toSorted()).toEqual(["config.json", "model.safetensors"]);
    const skipped = await test.make(request({ unsafe_files: "skip", key: "skipped" }));
    expect(skipped).toMatchObject({ state: "ready", skipped_files: ["pytorch_model.bin"], file_count: 5 });
    const none = await test.make(request({}, { include: ["*.gguf"] }));
    expect(none).toMatchObject({ state: "failed", failure: { reason: "CACHE_EMPTY" } });
  });

  it("with more files than an entry may have is refused, unless few enough of them are wanted", async () => {
    hub.commit(repo);
    await using test = await open({ maxFiles: 2 });
    expect(await test.make(request())).toMatchObject({ failure: { reason: "CACHE_TOO_MANY_FILES" } });
    const part = await test.make(request({}, { include: ["*.txt", "model.*"] }));
    expect(part).toMatchObject({ state: "ready", file_count: 2 });
  });

  it("goes on after errors of the hub and of the CDN, as long as they ask it to wait", async () => {
    hub.commit(repo);
    hub.failNext(429, { ratelimit: '"api";r=0;t=0' });
    hub.failNext(503, { "retry-after": "0" });
    hub.cdn.failNext(`repos/${sha256Of(weights)}`, { type: "cut", after: 100_000 });
    await using test = await open();
    expect(await test.make(request())).toMatchObject({ state: "ready" });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("whose branch moved since is fetched at its new commit, keeping the files that are the same", async () => {
    const first = hub.commit(repo);
    hub.cdn.failNext(`repos/${sha256Of(weights)}`, { type: "status", status: 403 });
    await using test = await open();
    expect(await test.make(request())).toMatchObject({ state: "failed" });
    const { "README.md": _gone, ...others } = files;
    const second = hub.commit({ ...repo, files: { ...others, "config.json": Buffer.from("{}") } });
    expect(second).not.toBe(first);
    const before = hub.hub.requests.length;
    const view = await test.make(request());
    expect(view).toMatchObject({ state: "ready", revision: second, file_count: 4 });
    const fetched = hub.hub.requests.slice(before).filter(({ url }) => url.includes("/resolve/"));
    expect(fetched.length).toBe(2);
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("is refused by a file whose git object or sha256 is another one", async () => {
    hub.commit(repo);
    hub.cdn.failNext(`repos/${sha256Of(weights)}`, { type: "corrupt", at: 7 }, 2);
    await using test = await open();
    expect(await test.make(request())).toMatchObject({
      state: "failed",
      failure: { reason: "CACHE_CHECKSUM_MISMATCH" },
    });
  });

  it("is a data set when it is asked for as one", async () => {
    hub.commit({ kind: "dataset", id: "owner/rows", files: { "train.jsonl": weights }, lfs: ["train.jsonl"] });
    await using test = await open();
    const view = await test.make({ kind: "dataset", source: { type: "hub", repo_id: "owner/rows" } });
    expect(view).toMatchObject({ state: "ready", kind: "dataset" });
    expect(await readFile(join(view.path ?? "", "train.jsonl"))).toEqual(weights);
  });
});

describe("a hub that refuses", () => {
  it.each([
    {
      what: "an unknown revision",
      source: { revision: "v9" },
      reason: "CACHE_SOURCE_NOT_FOUND",
      says: "no such revision",
    },
    {
      what: "an unknown repository",
      source: { repo_id: "owner/other" },
      reason: "CACHE_SOURCE_NOT_FOUND",
      says: "only for a token",
    },
    { what: "a gated one", isGated: true, reason: "CACHE_SOURCE_DENIED", says: "accepted its terms" },
  ])("$what: the reason says which", async ({ source = {}, isGated = false, reason, says }) => {
    hub.commit({ ...repo, isGated });
    await using test = await open();
    const view = await test.make(request({}, source));
    expect(view).toMatchObject({ state: "failed", failure: { reason, message: expect.stringContaining(says) } });
  });

  it("with something that is not JSON is no hub", async () => {
    hub.failNext(200);
    await using test = await open();
    expect(await test.make(request())).toMatchObject({ failure: { reason: "CACHE_SOURCE_INVALID" } });
  });
});

const python = join(import.meta.dirname, "../../../../.work/python-trainer/bin/python");
const client = `
import sys
from huggingface_hub import snapshot_download
print(snapshot_download(sys.argv[1], cache_dir=sys.argv[2], token=sys.argv[3]))
`;
const hasClient = spawnSync(python, ["-c", "import huggingface_hub"]).status === 0;
// oxlint-disable-next-line no-console -- why a test does not run must be seen
if (!hasClient) console.warn("skipped: huggingface_hub against the fake hub, as `npm run setup:python` was not run");

describe("the fake hub", () => {
  it.skipIf(!hasClient)("is one to huggingface_hub, which downloads the same files from it", async () => {
    hub.commit({ ...repo, isPrivate: true });
    await using test = await open({ hubToken: new Secret(token) });
    const { path } = await test.make(request());
    const folder = await mkdtemp(join(tmpdir(), "attune-hub-client-"));
    const env = { HF_ENDPOINT: hub.endpoint, HF_HUB_DISABLE_XET: "1", HF_HUB_DISABLE_TELEMETRY: "1", HOME: folder };
    const run = promisify(execFile);
    const { stdout } = await run(python, ["-c", client, repo.id, folder, token], { env });
    const links = await readdir(stdout.trim(), { recursive: true, withFileTypes: true });
    const found = links.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    expect(found.length).toBe(5);
    for (const file of found) {
      expect(await readFile(file)).toEqual(await readFile(join(path ?? "", relative(stdout.trim(), file))));
    }
    await rm(folder, { recursive: true });
  });
});
