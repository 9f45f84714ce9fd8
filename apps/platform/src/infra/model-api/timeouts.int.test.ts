import { startRawFixture } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import { collect, failureOf, never, say, startApiUnderTest } from "./model-api-under-test.contract.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

describe("a time-out", () => {
  it("bounds the wait for the first byte of a stream", async () => {
    await using under = await startApiUnderTest({ settings: { firstByteTimeoutMs: 100 } });
    under.fake.failNext({ kind: "stall-before-answer" });
    const failure = await failureOf(collect(under.api.stream(say("go"), never)));
    expect(failure).toContain("MODEL_API_TIMEOUT: The model API took too long. It did not send the first byte");
  });

  it("for the first byte does not hold for a whole answer, which comes when it is complete", async () => {
    await using under = await startApiUnderTest({ fake: { latencyMs: 300 }, settings: { firstByteTimeoutMs: 50 } });
    expect((await under.api.complete(say("go"), never)).finishReason).toBe("stop");
  });

  it("bounds the silence inside an answer", async () => {
    await using under = await startApiUnderTest({ settings: { idleTimeoutMs: 100 } });
    under.fake.failNext({ kind: "stall-mid-stream" });
    expect(await failureOf(collect(under.api.stream(say("go"), never)))).toContain(
      "did not send the rest of its answer",
    );
    await expect.poll(() => under.fake.abandonedCount, patient).toBe(1);
  });

  it("for silence does not count the time that the reader takes", async () => {
    await using under = await startApiUnderTest({ settings: { idleTimeoutMs: 3_000 } });
    const deltas = under.api.stream(say("one two three"), never);
    await deltas.next();
    await new Promise((resolve) => setTimeout(resolve, 3_300));
    expect((await collect(deltas)).at(-1)).toMatchObject({ type: "end" });
  });

  it("bounds the whole call", async () => {
    const answer = () => "word ".repeat(1_000);
    await using under = await startApiUnderTest({
      fake: { answer, tokensPerSecond: 100 },
      settings: { totalTimeoutMs: 300 },
    });
    expect(await failureOf(collect(under.api.stream(say("go"), never)))).toContain("did not send its whole answer");
    expect(await failureOf(under.api.complete(say("go"), never))).toContain("MODEL_API_TIMEOUT");
  });

  it("bounds the wait for a connection", async () => {
    // A server of TLS that never shakes hands: the connection is made, and cannot be used.
    await using silent = await startRawFixture(() => {});
    const apiUrl = `${silent.origin.replace("http:", "https:")}/v1`;
    await using under = await startApiUnderTest({
      settings: { connectTimeoutMs: 200, maxAttempts: 1 },
      endpoint: { apiUrl },
    });
    expect(await failureOf(under.api.complete(say("go"), never))).toContain("No connection within the time-out");
  });
});
