import { inspect } from "node:util";
import type { FakeModelFault } from "@attune/testkit/fake-model-api-faults.ts";
import { startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import { describe, expect, it } from "vitest";
import { collect, never, say, startApiUnderTest, testKey } from "./model-api-under-test.contract.ts";

const echoes: readonly FakeModelFault[] = [
  ...[400, 401, 403, 404, 422, 429, 500, 503].map((status) => ({
    kind: "status" as const,
    status,
    message: `Bad key ${testKey}, that is ${testKey.slice(0, 9)}****${testKey.slice(-7)}.`,
  })),
  { kind: "body", body: JSON.stringify({ error: { message: `Bearer ${testKey}` } }) },
  { kind: "body", body: JSON.stringify({ detail: testKey, choices: testKey }) },
  { kind: "body", contentType: "text/html", body: `<html>${testKey}</html>` },
  { kind: "redirect", location: `http://127.0.0.1:1/${testKey}?key=${testKey}` },
  { kind: "error-mid-stream", message: `The key ${testKey} has expired.` },
];

/** Every way in which an error could come to be seen: all it holds, and its causes. */
const shown = (error: unknown): string =>
  [inspect(error, { depth: 9, showHidden: true, maxStringLength: null }), String(error), JSON.stringify(error)].join(
    "\n",
  );

describe("the key", () => {
  it("is in no error, whatever the API repeats of it", async () => {
    await using under = await startApiUnderTest({ settings: { maxAttempts: 1 } });
    for (const fault of echoes) {
      under.fake.failNext(fault);
      const error: unknown = await collect(under.api.stream(say("go"), never)).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(Error);
      expect(shown(error)).not.toContain(testKey.slice(0, 9));
      expect(shown(error)).not.toContain(testKey.slice(-6));
    }
    expect(under.fake.requests).toHaveLength(echoes.length);
  });

  it("is in no report of a connection test, and not in the client", async () => {
    for (const fault of echoes) {
      await using under = await startApiUnderTest();
      under.fake.failNext(fault, 2);
      const report = await under.api.testConnection("chat", never);
      expect(shown(report)).not.toContain(testKey.slice(0, 9));
      expect(shown(under.api)).not.toContain(testKey.slice(0, 9));
    }
  });

  it("does not go along with a redirect", async () => {
    await using elsewhere = await startFakeModelApi();
    await using under = await startApiUnderTest();
    for (const status of [301, 302, 303, 307, 308]) {
      under.fake.failNext({ kind: "redirect", status, location: `${elsewhere.apiUrl}/chat/completions` });
      await expect(under.api.complete(say("go"), never)).rejects.toMatchObject({ reason: "MODEL_API_REDIRECTED" });
    }
    expect(elsewhere.requests).toEqual([]);
  });
});
