import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EntryId } from "./disk/cache-folders.ts";
import { runCrashing } from "./run-crashing.fixture.ts";
import { filesRequest, findWrongFiles, openTestCache, type TestCache, untilEntry } from "./test-cache.fixture.ts";

let base: string;
const keys = ["a", "b", "c", "d"] as const;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "attune-cache-waiting-"));
  for (const key of keys) {
    await mkdir(join(base, "src", key), { recursive: true });
    await writeFile(join(base, "src", key, "config.json"), "{}");
  }
});
afterAll(() => rm(base, { recursive: true, force: true }));

// Some start processes, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const idOf = (key: string): EntryId => ({ kind: "model", key });
const request = (key: string) => ({ kind: "model", key, source: { type: "local", path: join(base, "src", key) } });
/** With links, which are not kept. Nothing is behind them. */
const linked = (key: string) =>
  filesRequest((path) => `http://127.0.0.1:9/${path}`, { "config.json": Buffer.from("{}") }, { key });
const open = (settings = {}, deps = {}) => openTestCache({ roots: [base], entriesAtOnce: 1, ...settings }, deps);
const notesIn = (root: string) => readdir(join(root, ".requests"));
const until = ({ cache }: TestCache, key: string, state: string) =>
  untilEntry(cache, idOf(key), (view) => view.state === state);

/** Holds everything at the steps of one name, while it is shut. */
function createGate(name: string) {
  let opened = Promise.withResolvers<void>();
  let reached = Promise.withResolvers<void>();
  const openGate = () => opened.resolve();
  openGate();
  return {
    step: async (at: string) => {
      if (at !== name) return;
      reached.resolve();
      await opened.promise;
    },
    shut: () => {
      opened = Promise.withResolvers();
      reached = Promise.withResolvers();
    },
    reached: () => reached.promise,
    open: openGate,
    [Symbol.dispose]: () => opened.resolve(),
  };
}

/** A cache whose only turn is taken by `a`, which goes on when the gate opens. */
async function openBusy(gate: ReturnType<typeof createGate>, deps = {}) {
  const test = await open({}, { step: gate.step, ...deps });
  gate.shut();
  await test.begin(request("a"));
  await gate.reached();
  return test;
}

/** Long enough for a request that was sent to look at the disk. */
async function lookAround({ cache }: TestCache) {
  for (let times = 0; times < 50; times++) await cache.list();
}

describe("an entry that waits for its turn", () => {
  it("is cancelled at once, leaves nothing, and is made when it is asked for again", async () => {
    const gate = createGate("source: listed");
    await using test = await openBusy(gate);
    using _ = gate;
    expect(await test.begin(request("b"))).toMatchObject({ state: "queued" });
    const cancelled = await test.cache.cancel(idOf("b"));
    expect(cancelled).toMatchObject({ state: "cancelled", failure: { reason: "CACHE_CANCELLED" } });
    expect(await test.cache.get(idOf("a"))).toMatchObject({ state: "preparing" });
    expect(await notesIn(test.root)).toHaveLength(1);
    expect(await test.begin(request("b"))).toMatchObject({ state: "queued" });
    expect(await test.begin(request("b"))).toMatchObject({ state: "queued" });
    expect(await notesIn(test.root)).toHaveLength(2);
    gate.open();
    await until(test, "a", "ready");
    await until(test, "b", "ready");
    expect(await notesIn(test.root)).toEqual([]);
  });

  it("gets its turn, whoever leaves the line before it", async () => {
    const gate = createGate("source: listed");
    await using test = await openBusy(gate);
    using _ = gate;
    for (const key of ["b", "c", "d"]) await test.begin(request(key));
    await test.cache.cancel(idOf("c"));
    gate.open();
    await until(test, "d", "ready");
    const states = (await test.cache.list()).items.map(({ key, state }) => [key, state]);
    expect(Object.fromEntries(states)).toEqual({ a: "ready", b: "ready", c: "cancelled", d: "ready" });
    expect(await test.make(request("c"))).toMatchObject({ state: "ready" });
  });

  it("does not hold up the end of the agent, and is gone on with at its next start", async () => {
    const gate = createGate("source: listed");
    const root = join(base, "stopped");
    const before = await openBusy(gate, { root });
    using _ = gate;
    await before.begin(request("b"));
    await before.begin(linked("c"));
    const closed = before.cache.close();
    await before.cache.settled(idOf("b"));
    await expect(before.begin(request("d"))).rejects.toMatchObject({ reason: "CACHE_INTERRUPTED" });
    gate.open();
    await closed;
    await using after = await open({}, { root });
    const told = after.cache.leftovers.map(({ name, outcome }) => [name, outcome]);
    expect(Object.fromEntries(told)).toEqual({ "model.a": "resumed", "model.b": "resumed", "model.c": "kept" });
    await until(after, "a", "ready");
    await until(after, "b", "ready");
    expect(await after.cache.get(idOf("c"))).toMatchObject({
      state: "interrupted",
      failure: { reason: "CACHE_INTERRUPTED" },
    });
    expect((await after.cache.list()).items.map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect(await after.cache.cancel(idOf("c"))).toMatchObject({ state: "cancelled" });
    await expect(after.cache.get(idOf("c"))).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
    expect(await notesIn(root)).toEqual([]);
  });
});

describe("a request that was answered", () => {
  it("outlives a killed agent: it goes on by itself, or is told as interrupted where it has links", async () => {
    const root = join(base, "killed");
    const accept = [...keys.map(request), linked("links")];
    expect(await runCrashing({ root, accept, crashAt: 0, roots: [base] })).toMatchObject({ signal: "SIGKILL" });
    await using after = await open({}, { root });
    for (const key of keys) await until(after, key, "ready");
    expect(await after.cache.get(idOf("links"))).toMatchObject({ state: "interrupted", source: { type: "files" } });
    expect(await findWrongFiles(root)).toEqual([]);
    await after.cache.remove(idOf("links"));
    await expect(after.cache.get(idOf("links"))).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
    expect(await notesIn(root)).toEqual([]);
  });

  it("is no longer kept when the agent failed at it, or when another request took its place", async () => {
    const root = join(base, "over");
    await runCrashing({ root, accept: [linked("a"), request("b")], crashAt: 0, roots: [base] });
    // Without a root that is opened, `b` fails.
    await using after = await open({ roots: [] }, { root });
    await until(after, "b", "failed");
    expect(await notesIn(root)).toHaveLength(1);
    await using again = await open({}, { root });
    expect(await again.cache.get(idOf("b"))).toMatchObject({ state: "failed" });
    expect(await again.make(request("a"))).toMatchObject({ state: "ready" });
    expect(await notesIn(root)).toEqual([]);
  });

  it("is removed at the start when it is too old, and so is what a killed agent has left of a note", async () => {
    const root = join(base, "old");
    await runCrashing({ root, accept: [linked("a"), linked("b")], crashAt: 0 });
    const [half, senseless] = [`model.c.${crypto.randomUUID()}.json.x`, `model.c.${crypto.randomUUID()}.json`];
    for (const name of [half, senseless]) await writeFile(join(root, ".requests", name), "{");
    await utimes(join(root, ".requests", half), 1, 1);
    await using after = await open({ keepUnfinishedMs: -1 }, { root });
    const told = after.cache.leftovers.map(({ name, outcome }) => [name, outcome]);
    expect(Object.fromEntries(told)).toMatchObject({ "model.a": "removed", "model.b": "removed" });
    expect(await notesIn(root)).toEqual([]);
    await expect(after.cache.get(idOf("a"))).rejects.toMatchObject({ reason: "CACHE_ENTRY_UNKNOWN" });
  });

  it("belongs to its agent: another one on the same cache neither takes it nor removes it", async () => {
    const gate = createGate("source: listed");
    await using test = await openBusy(gate);
    using _ = gate;
    await test.begin(request("b"));
    const other = await runCrashing({ root: test.root, remove: [idOf("b")], crashAt: 0, roots: [base] });
    expect(other.errors).toContain("CACHE_ENTRY_BUSY");
    expect(other.steps).toEqual([]);
    expect(await notesIn(test.root)).toHaveLength(2);
    gate.open();
    await until(test, "b", "ready");
  });
});

describe("a request that comes while the entry is being dealt with", () => {
  it("by a cancel starts anew after it", async () => {
    const gate = createGate("source: listed");
    const end = createGate("lock: released");
    const step = (name: string) => gate.step(name).then(() => end.step(name));
    await using test = await openBusy(gate, { step });
    using _ = gate;
    using __ = end;
    end.shut();
    const cancelled = test.cache.cancel(idOf("a"));
    gate.open();
    await end.reached();
    const again = test.begin(request("a"));
    await lookAround(test);
    end.open();
    expect(await cancelled).toMatchObject({ state: "cancelled" });
    expect(await again).toMatchObject({ state: "queued" });
    await until(test, "a", "ready");
  });

  it("by a removal is seen, can be cancelled, and survives a killed agent", async () => {
    const gate = createGate("entry: removed");
    const working = createGate("source: listed");
    const step = (name: string) => gate.step(name).then(() => working.step(name));
    await using test = await open({}, { step });
    using _ = gate;
    using __ = working;
    await test.make(request("a"));
    gate.shut();
    working.shut();
    const removed = test.cache.remove(idOf("a"));
    await gate.reached();
    const again = test.begin(request("a"));
    await lookAround(test);
    gate.open();
    await removed;
    expect(await again).toMatchObject({ state: "queued" });
    await working.reached();
    expect(await notesIn(test.root)).toHaveLength(1);
    expect(await test.cache.get(idOf("a"))).toMatchObject({ state: "preparing" });
    const cancelled = test.cache.cancel(idOf("a"));
    working.open();
    expect(await cancelled).toMatchObject({ state: "cancelled" });
    expect(await test.make(request("a"))).toMatchObject({ state: "ready" });
  });

  it("by a verification's beginning does not hide it", async () => {
    const gate = createGate("request: noted");
    await using test = await open({}, { step: gate.step });
    using _ = gate;
    await test.make(request("a"));
    await writeFile(join(test.root, "model/a/damaged.json"), "{}");
    gate.shut();
    const made = test.begin(request("a"));
    await gate.reached();
    const verified = test.cache.verify(idOf("a"));
    verified.catch(() => {});
    gate.open();
    await made;
    await expect(verified).rejects.toMatchObject({ reason: "CACHE_ENTRY_BUSY" });
    await until(test, "a", "ready");
  });
});
