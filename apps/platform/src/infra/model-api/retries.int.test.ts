import type { FakeModelFault } from "@attune/testkit/fake-model-api-faults.ts";
import { findClosedPort } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import { collect, failureOf, never, say, startApiUnderTest } from "./model-api-under-test.contract.ts";

const status = (code: number, headers = {}): FakeModelFault => ({ kind: "status", status: code, headers });

describe("what is safe to repeat", () => {
  it.each<[string, FakeModelFault]>([
    ["429", status(429)],
    ["502 with a page", { kind: "html-error", status: 502 }],
    ["503", status(503)],
    ["504", status(504)],
    ["a connection closed before its answer", { kind: "reset-before-answer" }],
  ])("is repeated after %s, whole and streamed", async (_name, fault) => {
    await using under = await startApiUnderTest();
    under.fake.failNext(fault, 2);
    expect((await under.api.complete(say("go"), never)).content).toBe("You said: go");
    under.fake.failNext(fault);
    expect((await collect(under.api.stream(say("go"), never))).at(-1)).toMatchObject({ type: "end" });
    expect(under.fake.requests).toHaveLength(5);
    // A random time below 500 ms, then below 1 s; the tests' random number is one half.
    expect(under.waitsMs.map(Math.round)).toEqual([250, 500, 250]);
  });

  it("is not repeated without end", async () => {
    await using under = await startApiUnderTest({ settings: { maxAttempts: 3 } });
    under.fake.failNext(status(503), 9);
    expect(await failureOf(under.api.complete(say("go"), never))).toContain("MODEL_API_FAILED");
    expect(under.fake.requests).toHaveLength(3);
  });

  it.each<[string, FakeModelFault, string]>([
    ["500", status(500), "MODEL_API_FAILED"],
    ["400", status(400), "MODEL_API_REQUEST_REJECTED"],
    ["401", status(401), "MODEL_API_DENIED"],
    ["403", status(403), "MODEL_API_DENIED"],
    ["404", status(404), "MODEL_API_PATH_UNKNOWN"],
    ["402", status(402), "MODEL_API_QUOTA_EXHAUSTED"],
    [
      "429 for a spent quota",
      { ...status(429), code: "insufficient_quota" } as FakeModelFault,
      "MODEL_API_QUOTA_EXHAUSTED",
    ],
    ["an answer cut short", { kind: "short-body" }, "MODEL_API_INTERRUPTED"],
    ["JSON cut short", { kind: "truncated-json" }, "MODEL_API_INTERRUPTED"],
  ])("is not %s", async (_name, fault, reason) => {
    await using under = await startApiUnderTest();
    under.fake.failNext(fault);
    expect(await failureOf(under.api.complete(say("go"), never))).toContain(reason);
    expect(under.fake.requests).toHaveLength(1);
  });

  it("is a server that does not listen yet", async () => {
    const port = await findClosedPort();
    await using under = await startApiUnderTest({ endpoint: { apiUrl: `http://127.0.0.1:${port}/v1` } });
    const failure = await failureOf(under.api.complete(say("go"), never));
    expect(failure).toContain("MODEL_API_UNREACHABLE: The model API cannot be reached. The connection was refused");
    expect(under.waitsMs).toHaveLength(3);
  });
});

describe("Retry-After", () => {
  it.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["milliseconds", { "retry-after-ms": "1500" }, 1_500],
  ])("in %s is waited for, and something random more", async (_name, headers, askedMs) => {
    await using under = await startApiUnderTest();
    under.fake.failNext(status(429, headers));
    await under.api.complete(say("go"), never);
    expect(under.waitsMs[0]).toBe(askedMs + 250);
  });

  it("as a date is waited for", async () => {
    await using under = await startApiUnderTest();
    under.fake.failNext(status(503, { "retry-after": new Date(Date.now() + 30_000).toUTCString() }));
    await under.api.complete(say("go"), never);
    // Dates have whole seconds, and the test takes its time.
    expect(under.waitsMs[0]).toBeGreaterThan(0);
    expect(under.waitsMs[0]).toBeLessThanOrEqual(30_250);
  });

  it("is not waited for when it is too long, but told", async () => {
    await using under = await startApiUnderTest({ settings: { retryMaxMs: 60_000 } });
    under.fake.failNext(status(429, { "retry-after": "3600" }));
    const failing = under.api.complete(say("go"), never);
    await expect(failing).rejects.toMatchObject({
      reason: "MODEL_API_RATE_LIMITED",
      details: { retryAfterMs: 3_600_000 },
    });
    expect(under.fake.requests).toHaveLength(1);
  });

  it("holds back other calls to the same API, not those to another one", async () => {
    await using under = await startApiUnderTest();
    await using other = await startApiUnderTest();
    under.fake.failNext(status(429, { "retry-after": "7" }));
    await under.api.complete(say("go"), never);
    await other.api.complete(say("go"), never);
    expect(other.waitsMs).toEqual([]);
  });
});

describe("the limits of an API", () => {
  it("let so many requests run at a time, for all models of one URL and key", async () => {
    const models = ["a", "b"].map((id) => ({ id, kind: "chat" as const }));
    await using under = await startApiUnderTest({ fake: { models }, endpoint: { maxConcurrency: 3 } });
    const { fake } = under;
    fake.failNext({ kind: "stall-before-answer" }, 3);
    const gone = new AbortController();
    const held = Array.from({ length: 3 }, () => under.open({ apiModel: "a" }).complete(say("held"), gone.signal));
    await expect.poll(() => fake.load.current, { timeout: 20_000 }).toBe(3);
    const waiting = Array.from({ length: 9 }, () => under.open({ apiModel: "b" }).complete(say("waiting"), never));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fake.requests).toHaveLength(3);
    gone.abort();
    await Promise.allSettled(held);
    await Promise.all(waiting);
    expect(fake.requests).toHaveLength(12);
  });

  it("let a failed call's place be taken", async () => {
    await using under = await startApiUnderTest({ endpoint: { maxConcurrency: 1 } });
    under.fake.failNext(status(500), 3);
    for (let call = 0; call < 3; call++)
      expect(await failureOf(under.api.complete(say("go"), never))).toContain("FAILED");
    under.fake.failNext({ kind: "end-mid-stream" });
    expect(await failureOf(collect(under.api.stream(say("go"), never)))).toContain("INTERRUPTED");
    expect((await under.api.complete(say("go"), never)).finishReason).toBe("stop");
  });

  it("let so many requests begin within a minute", async () => {
    await using under = await startApiUnderTest({ endpoint: { requestsPerMinute: 2 } });
    for (let call = 0; call < 5; call++) await under.api.complete(say("go"), never);
    // The fifth begins two minutes after the first, less the time that the test itself takes.
    expect(under.waitsMs.reduce((sum, waitMs) => sum + waitMs, 0)).toBeGreaterThan(60_000);
  });
});
