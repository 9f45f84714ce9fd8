import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CacheEntryView, cacheKinds, prepareRequest } from "@attune/contracts/compute/cache-api.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { type Cache, type CacheDeps, openCache } from "./cache.ts";
import { type CacheSettings, defaultCacheSettings } from "./cache-settings.ts";
import type { EntryId } from "./disk/cache-folders.ts";
import { readManifest } from "./disk/manifest.ts";

/** Quick to give up, and let to loopback. */
export const testSettings: CacheSettings = {
  ...defaultCacheSettings,
  allowedHosts: ["127.0.0.0/8"],
  maxAttempts: 3,
  retryBaseMs: 5,
  retryMaxMs: 2_000,
  idleTimeoutMs: 20_000,
  headersTimeoutMs: 20_000,
  filesAtOnce: 1,
};

export interface TestCache extends AsyncDisposable {
  readonly root: string;
  readonly cache: Cache;
  /** Prepares and does not wait. */
  begin(request: unknown): Promise<CacheEntryView>;
  /** Prepares and waits for how it ends. */
  make(request: unknown): Promise<CacheEntryView>;
}

export const testLogger = createLogger("test", "silent");

/** A cache in a folder of its own, or in one that is there. */
export async function openTestCache(
  settings: Partial<CacheSettings> = {},
  deps: Partial<Omit<CacheDeps, "settings">> = {},
): Promise<TestCache> {
  const root = deps.root ?? (await mkdtemp(join(tmpdir(), "attune-cache-")));
  const all = { logger: testLogger, listUses: () => [], ...deps, root, settings: { ...testSettings, ...settings } };
  const cache = await openCache(all);
  const begin = (request: unknown) => cache.prepare(prepareRequest.parse(request));
  return {
    root,
    cache,
    begin,
    make: async (request) => {
      const { kind, key } = await begin(request);
      await cache.settled({ kind, key });
      return cache.get({ kind, key });
    },
    [Symbol.asyncDispose]: async () => {
      await cache.close();
      if (deps.root === undefined) await rm(root, { recursive: true, force: true });
    },
  };
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Bytes that are no two alike, the same each time. */
export function someBytes(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** A request for files of a host, with the sizes and checksums that they should have. */
export function filesRequest(urlOf: (path: string) => string, files: Readonly<Record<string, Uint8Array>>, more = {}) {
  const list = Object.entries(files).map(([path, bytes]) => ({
    path,
    url: urlOf(path),
    size_bytes: bytes.length,
    checksum_sha256: sha256Of(bytes),
  }));
  return { kind: "model", key: "m", source: { type: "files", files: list }, ...more };
}

/** What is wrong with a cache: a file of a complete entry that is not as its manifest says. */
export async function findWrongFiles(root: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const kind of cacheKinds) {
    for (const key of await readdir(join(root, kind))) wrong.push(...(await wrongFilesOf(join(root, kind, key))));
  }
  return wrong;
}

async function wrongFilesOf(folder: string): Promise<string[]> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) return [`${folder} has no manifest`];
  const found = await readdir(join(folder, "files"), { recursive: true, withFileTypes: true });
  const names = found.filter((entry) => !entry.isDirectory()).length;
  const wrong = names === manifest.files.length ? [] : [`${folder} has ${names} files`];
  for (const { path, size, sha256 } of manifest.files) {
    const bytes = await readFile(join(folder, "files", path));
    if (bytes.length !== size || sha256Of(bytes) !== sha256) wrong.push(`${folder} has a wrong ${path}`);
  }
  return wrong;
}

/** All files in a folder, by path. */
export async function filesIn(folder: string): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files[relative(folder, path)] = await readFile(path);
  }
  return files;
}

/** Waits until an entry is as it should be. @throws Error when it is not in time */
export async function untilEntry(cache: Cache, id: EntryId, isRight: (view: CacheEntryView) => boolean) {
  for (const endMs = performance.now() + 20_000; performance.now() < endMs; await sleep(5)) {
    const view = await cache.get(id);
    if (isRight(view)) return view;
  }
  throw new Error(`not in time: ${JSON.stringify(await cache.get(id))}`);
}
