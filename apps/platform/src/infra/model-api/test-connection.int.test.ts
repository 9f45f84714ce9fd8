import type { FakeModelFault } from "@attune/testkit/fake-model-api-faults.ts";
import { startFakeModelApi } from "@attune/testkit/fake-model-api.ts";
import { makeCertificate } from "@attune/testkit/http-fixture-certificate.ts";
import { findClosedPort, startHttpFixture, startRawFixture } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import type { ConnectionReport, ModelEndpoint } from "./model-api.ts";
import { never, startApiUnderTest, testKey, type UnderTestOptions } from "./model-api-under-test.contract.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

async function testWith(options: UnderTestOptions = {}, ...faults: FakeModelFault[]): Promise<ConnectionReport> {
  await using under = await startApiUnderTest(options);
  for (const fault of faults) under.fake.failNext(fault);
  return await under.api.testConnection("chat", never);
}

const at = (apiUrl: string): Partial<ModelEndpoint> => ({ apiUrl });
const twice = (fault: FakeModelFault): FakeModelFault[] => [fault, fault];

describe("a connection test", () => {
  it("says what it asked and how long that took", async () => {
    await using under = await startApiUnderTest();
    const report = await under.api.testConnection("chat", never);
    expect(report).toMatchObject({ isOk: true, isModelListed: true, models: ["fake-chat", "fake-embedding"] });
    expect(report.steps.map(({ asked, hasPassed }) => [asked, hasPassed])).toEqual([
      [`GET ${under.fake.apiUrl}/models`, true],
      [`POST ${under.fake.apiUrl}/chat/completions`, true],
    ]);
  });

  it("passes for an API without a list of models", async () => {
    const report = await testWith({ fake: { hasModelList: false } });
    expect(report).toMatchObject({ isOk: true, isModelListed: undefined });
  });

  it("passes for a model that answers without being listed", async () => {
    const models = { kind: "body", body: '{"object":"list","data":[{"id":"other"}]}' } as const;
    expect(await testWith({}, models)).toMatchObject({ isOk: true, isModelListed: false });
  });

  it("is over in one try, and not held up by calls under way", async () => {
    await using under = await startApiUnderTest({ endpoint: { maxConcurrency: 1 } });
    under.fake.failNext({ kind: "stall-before-answer" });
    const gone = new AbortController();
    const waiting = under.api.complete({ messages: [{ role: "user", content: "x" }] }, gone.signal).catch(() => {});
    await expect.poll(() => under.fake.load.current, patient).toBe(1);
    expect((await under.api.testConnection("chat", never)).isOk).toBe(true);
    gone.abort();
    await waiting;
  });

  it("names the address when /v1 is missing", async () => {
    await using fake = await startFakeModelApi({ apiKey: testKey });
    const { failure } = await testWith({ endpoint: at(fake.origin) });
    expect(failure).toMatchObject({ reason: "MODEL_API_PATH_UNKNOWN" });
    expect(failure?.remedy).toBe(`Set api_url to ${fake.apiUrl}, where an API answers.`);
  });

  it("names the models that there are, the likeliest first", async () => {
    const ids = ["llama-3-8b", "qwen3-32b", "qwen3-8b-instruct", "zephyr"];
    const models = ids.map((id) => ({ id, kind: "chat" as const }));
    const { failure } = await testWith({ fake: { models }, endpoint: { apiModel: "qwen3-8b" } });
    expect(failure?.reason).toBe("MODEL_API_MODEL_UNKNOWN");
    expect(failure?.remedy).toMatch(/^Set api_model to a name that the API lists: qwen3-8b-instruct, qwen3-32b,/);
  });

  it.each<[string, FakeModelFault[], string, RegExp]>([
    ["a wrong key", twice({ kind: "status", status: 401 }), "MODEL_API_DENIED", /Enter its current key/],
    [
      "a forbidden key",
      twice({ kind: "status", status: 403 }),
      "MODEL_API_DENIED",
      /answered 403 and was sent the key/,
    ],
    [
      "too many requests",
      twice({ kind: "status", status: 429, headers: { "retry-after": "20" } }),
      "MODEL_API_RATE_LIMITED",
      /wait of 20 s/,
    ],
    ["a fault", twice({ kind: "status", status: 500 }), "MODEL_API_FAILED", /log of its server/],
    ["a gateway's page", twice({ kind: "html-error" }), "MODEL_API_FAILED", /answered 502/],
    [
      "a web page",
      twice({ kind: "body", contentType: "text/html", body: "<!doctype html><p>Hello" }),
      "MODEL_API_INCOMPATIBLE",
      /answered with a web page/,
    ],
    [
      "JSON of something else",
      twice({ kind: "body", body: '{"status":"up"}' }),
      "MODEL_API_INCOMPATIBLE",
      /JSON of another form: at choices/,
    ],
    [
      "plain text",
      twice({ kind: "body", contentType: "text/plain", body: "pong" }),
      "MODEL_API_INCOMPATIBLE",
      /not JSON/,
    ],
    [
      "a redirect",
      [{ kind: "redirect", location: "https://login.example/?token=abc" }],
      "MODEL_API_REDIRECTED",
      /leading to https:\/\/login\.example\/\. Set|leading to https:\/\/login\.example\//,
    ],
    ["a closed connection", twice({ kind: "reset-before-answer" }), "MODEL_API_UNREACHABLE", /closed before an answer/],
  ])("tells of %s", async (...[, faults, reason, words]) => {
    const { isOk, failure } = await testWith({}, ...faults);
    expect(isOk).toBe(false);
    expect(failure?.reason).toBe(reason);
    expect(`${failure?.what} ${failure?.remedy}`).toMatch(words);
    expect(JSON.stringify(failure)).not.toContain("token=abc");
  });

  it("tells of a host that has no address", async () => {
    const { failure } = await testWith({ endpoint: at("http://no-such-host.invalid/v1") });
    expect(failure?.reason).toBe("MODEL_API_HOST_UNKNOWN");
  });

  it("tells of a port at which nothing listens", async () => {
    const { failure, steps } = await testWith({ endpoint: at(`http://127.0.0.1:${await findClosedPort()}/v1`) });
    expect(failure?.what).toContain("nothing listens at that port");
    expect(steps).toHaveLength(1);
  });

  it("tells of TLS asked of a plain server, and of what is not HTTP", async () => {
    await using plain = await startHttpFixture((_request, response) => response.end());
    const tls = await testWith({ endpoint: at(`https://127.0.0.1:${plain.port}/v1`) });
    expect(tls.failure).toMatchObject({ reason: "MODEL_API_TLS_FAILED" });
    expect(tls.failure?.what).toContain("write http:// instead of https://");
    await using other = await startRawFixture((socket) => socket.end("220 mail.example ESMTP\r\n"));
    expect((await testWith({ endpoint: at(`${other.origin}/v1`) })).failure?.reason).toBe("MODEL_API_INCOMPATIBLE");
  });

  const certificate = makeCertificate("localhost");
  it.skipIf(certificate === undefined)("tells of a certificate that is not trusted, or for another name", async () => {
    if (certificate === undefined) return;
    await using server = await startHttpFixture((_request, response) => response.end(), { tls: certificate });
    const unknown = await testWith({ endpoint: at(`https://localhost:${server.port}/v1`) });
    expect(unknown.failure?.what).toContain("Its certificate is signed by itself");
    const settings = { extraCaPem: certificate.cert };
    const trusted = await testWith({ settings, endpoint: at(`https://localhost:${server.port}/v1`) });
    expect(trusted.failure?.reason).toBe("MODEL_API_INCOMPATIBLE");
    const otherName = await testWith({ settings, endpoint: at(`https://127.0.0.1:${server.port}/v1`) });
    expect(otherName.failure?.what).toContain("Its certificate is for another host name");
  });
  if (certificate === undefined) console.log("Certificates are not tested: the program openssl is not installed.");
});
