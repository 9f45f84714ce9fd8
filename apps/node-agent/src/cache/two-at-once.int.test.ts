import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeFileHost } from "@attune/testkit/fake-file-host.ts";
import { describe, expect, it, vi } from "vitest";
import { tryKeyLock } from "./disk/key-lock.ts";
import { runCrashing } from "./run-crashing.fixture.ts";
import { filesRequest, findWrongFiles, openTestCache, someBytes } from "./test-cache.fixture.ts";

const files = { a: someBytes(200_000), b: someBytes(200_000, 2) };

// Some start processes, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

describe("two at once", () => {
  it("callers of one process share one preparation", async () => {
    await using host = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
    await using test = await openTestCache({ filesAtOnce: 4 });
    const request = filesRequest(host.urlOf, files);
    const views = await Promise.all(Array.from({ length: 8 }, () => test.make(request)));
    expect(views.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => "ready"));
    expect(host.requests.length).toBe(2);
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("callers of one process with different contents for one key: one has it, the other is told", async () => {
    await using host = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
    await using test = await openTestCache();
    const outcomes = await Promise.allSettled([
      test.make(filesRequest(host.urlOf, { a: files.a })),
      test.make(filesRequest(host.urlOf, { b: files.b })),
    ]);
    const ready = outcomes.filter(({ status }) => status === "fulfilled");
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect([ready.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]).toMatchObject({ reason: { reason: "CACHE_KEY_TAKEN" } });
    expect(await findWrongFiles(test.root)).toEqual([]);
  });

  it("processes: one makes the entry, the others find it made", async () => {
    await using host = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
    const root = await mkdtemp(join(tmpdir(), "attune-cache-two-"));
    const request = filesRequest(host.urlOf, files);
    const outcomes = await Promise.all([1, 2, 3].map(() => runCrashing({ root, request, crashAt: 0 })));
    expect(outcomes.map(({ end, errors }) => [end?.state, errors])).toEqual(outcomes.map(() => ["ready", ""]));
    expect(host.requests.length).toBe(2);
    expect(await findWrongFiles(root)).toEqual([]);
    await rm(root, { recursive: true });
  });

  it("processes, one of which is killed while it has the lock: the other one takes over and goes on", async () => {
    await using host = await startFakeFileHost();
    for (const [path, bytes] of Object.entries(files)) host.put(path, bytes);
    const root = await mkdtemp(join(tmpdir(), "attune-cache-two-"));
    const request = filesRequest(host.urlOf, files);
    const [killed, other] = await Promise.all([
      runCrashing({ root, request, crashAt: 8 }),
      runCrashing({ root, request, crashAt: 0 }),
    ]);
    // The first may have found all done.
    expect(["SIGKILL", null]).toContain(killed.signal);
    expect(other.end?.state).toBe("ready");
    expect(await findWrongFiles(root)).toEqual([]);
    await rm(root, { recursive: true });
  });
});

describe("the lock of an entry", () => {
  it("has one holder at a time, whoever comes at once, and goes to the next one when it is released", async () => {
    const folder = await mkdtemp(join(tmpdir(), "attune-lock-"));
    for (let round = 0; round < 20; round++) {
      const locks = await Promise.all(Array.from({ length: 8 }, () => tryKeyLock(folder, "model.m")));
      const held = locks.filter((lock) => lock !== undefined);
      expect(held.length).toBeLessThanOrEqual(1);
      for (const lock of held) {
        expect(await lock.isHeld()).toBe(true);
        expect(await tryKeyLock(folder, "model.m")).toBeUndefined();
        // Another key whose name begins alike is another lock.
        const other = await tryKeyLock(folder, "model.m.1");
        expect(other).toBeDefined();
        await other?.release();
        await lock.release();
      }
      const next = await tryKeyLock(folder, "model.m");
      expect(next).toBeDefined();
      await next?.release();
    }
    await rm(folder, { recursive: true });
  });
});
