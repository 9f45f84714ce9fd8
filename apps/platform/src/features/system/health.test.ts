import { createLogger } from "@attune/service-kit/create-logger.ts";
import { expect, test } from "vitest";
import { createHealthCheck, worstOf } from "./health.ts";
import { judgeClock } from "./probe-clock.ts";
import { judgeDatabase } from "./probe-database.ts";
import { judgeSpace, judgeVerification } from "./probe-object-store.ts";
import { judgeSweep } from "./probe-sweepers.ts";
import type { ProbeOf } from "./probe.ts";

const logger = createLogger("test", "silent");
type Run = ProbeOf<"parser">["run"];

const checkOf = (run: Run, timeoutMs = 60_000) =>
  createHealthCheck({ logger, timeoutMs, probes: [{ part: "parser", unavailable: "PARSER_UNAVAILABLE", run }] });
const facts = { url: "http://parser", latency_ms: 1 };

test("a part is as its worst finding, and one that is not configured is said to be so", async () => {
  const finding = { reason: "PARSER_NOT_SERVING", state: "failing", detail: "why" } as const;
  const [bad] = await checkOf(async () => ({ facts, findings: [finding] }))();
  expect(bad).toMatchObject({ part: "parser", state: "failing", facts });
  expect(bad?.findings).toEqual([
    { ...finding, sentence: expect.stringContaining("cannot parse"), remedy: expect.stringContaining("logs") },
  ]);
  expect(await checkOf(async () => ({ facts, findings: [] }))()).toMatchObject([{ state: "ok", findings: [] }]);
  expect(await checkOf(async () => undefined)()).toMatchObject([{ state: "not_configured", facts: null }]);
  expect(worstOf(["ok", "not_configured"])).toBe("ok");
  expect(worstOf(["ok", "failing", "degraded"])).toBe("failing");
});

test("a check that throws is a part that fails, with why", async () => {
  const cause = new Error("the server is gone");
  const [part] = await checkOf(() => Promise.reject(new Error("select …", { cause })))();
  expect(part).toMatchObject({ state: "failing", facts: null });
  expect(part?.findings).toMatchObject([{ reason: "PARSER_UNAVAILABLE", detail: "the server is gone" }]);
});

test("a check that hangs fails in time, and is not begun again while it hangs", async () => {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const check = checkOf(() => {
    begun++;
    return promise;
  }, 50);
  const late = [expect.objectContaining({ state: "failing", facts: null })];
  expect(await Promise.all([check(), check()])).toEqual([late, late]);
  expect(await check()).toEqual(late);
  expect(begun).toBe(1);
  resolve(undefined);
  await promise;
  await expect.poll(async () => (await check())[0]?.state, { timeout: 60_000 }).toBe("not_configured");
  expect(begun).toBe(2);
});

test("the time that a check may take aborts its signal", async () => {
  let reason: unknown;
  const run: Run = (signal) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
        reject(signal.reason as Error);
      });
    });
  const [part] = await checkOf(run, 50)();
  expect(part).toMatchObject({ state: "failing" });
  await expect.poll(() => (reason as Error | undefined)?.name, { timeout: 60_000 }).toBe("TimeoutError");
});

test.each([
  [1500, 10, []],
  [-1500, 10, []],
  // As long as the question took, nothing is certain.
  [5000, 4000, []],
  [-5000, 10, ["degraded"]],
  [61_000, 10, ["failing"]],
])("clocks that differ by %i ± %i ms are %j", (skew, uncertainty, states) => {
  const found = judgeClock({ skew_ms: skew, uncertainty_ms: uncertainty });
  expect(found.map(({ state }) => state)).toEqual(states);
});

const gib = 2 ** 30;
test.each([
  [undefined, []],
  [6 * gib, []],
  [gib, ["degraded"]],
  [gib / 4, ["failing"]],
])("%s bytes of free space are %j", (bytes, states) => {
  expect(judgeSpace(bytes).map(({ state }) => state)).toEqual(states);
});

const database = {
  server_version: "18.1",
  latency_ms: 3,
  size_bytes: 1,
  migrations_known: 7,
  migrations_applied: 7,
  connections_in_use: 1,
  connections_idle: 1,
  connections_max: 20,
  requests_waiting: 0,
};

test.each([
  [{}, {}, []],
  [{ migrations_applied: 5 }, {}, ["MIGRATIONS_MISSING"]],
  [{}, { unknown: 1 }, ["MIGRATIONS_UNKNOWN"]],
  [{ server_version: "14.2" }, { isTooOld: true }, ["DATABASE_TOO_OLD"]],
  [{ latency_ms: 900, requests_waiting: 2 }, {}, ["DATABASE_SLOW", "CONNECTIONS_EXHAUSTED"]],
])("of a database with %j and %j, %j is told", (more, observed, reasons) => {
  const found = judgeDatabase({ ...database, ...more }, { isTooOld: false, unknown: 0, ...observed });
  expect(found.map(({ reason }) => reason)).toEqual(reasons);
});

const day = 24 * 3_600_000;
const run = {
  id: "",
  startedAt: new Date(0),
  endedAt: new Date(1),
  objectCount: 1,
  inlineCount: 0,
  sizeBytes: 1,
  faultCount: 0,
  faults: [],
  failure: null,
};
const missing = { kind: "missing", subject: "a" };
const unknown = { kind: "unknown", subject: "a" };

test.each([
  ["none", undefined, []],
  ["one without faults", run, []],
  ["one with lost content", { ...run, faultCount: 2, faults: [unknown, missing] }, ["failing"]],
  ["one with more faults than are kept", { ...run, faultCount: 200, faults: [unknown] }, ["failing"]],
  ["one with unknown objects only", { ...run, faultCount: 1, faults: [unknown] }, ["degraded"]],
  ["one that failed", { ...run, failure: "the store is gone", faultCount: null }, ["degraded"]],
  ["one whose process is gone", { ...run, endedAt: null, faultCount: null }, ["degraded"]],
])("of verifications, %s is told", (_, last, states) => {
  expect(judgeVerification(last, 2 * day).map(({ state }) => state)).toEqual(states);
});

test("a verification that is under way is no fault", () => {
  expect(judgeVerification({ ...run, endedAt: null, faultCount: null }, 1000)).toEqual([]);
});

const minute = 60_000;
const sweep = { name: "sessions", everyMs: minute, sinceMs: 0 };
const never = { startedMs: undefined, endedMs: undefined, isLastWell: undefined };

test.each([
  ["has just begun to wait", { ...sweep, ...never, nowMs: minute }, []],
  ["never ran", { ...sweep, ...never, nowMs: 4 * minute }, ["SWEEP_LATE"]],
  ["ran well", { ...sweep, startedMs: 1, endedMs: 2, isLastWell: true, nowMs: minute }, []],
  ["failed", { ...sweep, startedMs: 1, endedMs: 2, isLastWell: false, nowMs: minute }, ["SWEEP_FAILED"]],
  ["stopped running", { ...sweep, startedMs: 1, endedMs: 2, isLastWell: true, nowMs: 4 * minute }, ["SWEEP_LATE"]],
  ["hangs", { ...sweep, startedMs: 3, endedMs: 2, isLastWell: true, nowMs: 4 * minute }, ["SWEEP_LATE"]],
  ["takes a while", { ...sweep, startedMs: 3, endedMs: 2, isLastWell: true, nowMs: 2 * minute }, []],
])("a sweeper that %s is told as such", (_, { nowMs, ...status }, reasons) => {
  expect(judgeSweep(status, nowMs).map(({ reason }) => reason)).toEqual(reasons);
});
