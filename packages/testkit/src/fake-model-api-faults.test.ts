import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { type FakeModelApi, startFakeModelApi } from "./fake-model-api.ts";

// Other work on the machine may hold things up.
const patient = { timeout: 20_000 };

const ask = { model: "fake-chat", messages: [{ role: "user", content: "hello" }] };

async function withFake(use: (api: FakeModelApi) => Promise<void>): Promise<void> {
  await using api = await startFakeModelApi();
  await use(api);
}

describe("faults", () => {
  const outcomeOf = async (api: FakeModelApi): Promise<string> => {
    try {
      const body = JSON.stringify({ ...ask, stream: true });
      const response = await fetch(`${api.apiUrl}/chat/completions`, { method: "POST", body });
      const { status, headers } = response;
      return `${status} ${headers.get("content-type")} ${headers.get("retry-after") ?? ""} ${await response.text()}`;
    } catch (error) {
      return String((error as Error).cause ?? error);
    }
  };

  it("come in the order they were given, then things go well again", async () => {
    await withFake(async (api) => {
      api.failNext({ kind: "status", status: 429, headers: { "retry-after": "7" } });
      api.failNext({ kind: "html-error" });
      api.failNext({ kind: "truncated-json" });
      api.failNext({ kind: "body", contentType: "text/plain", body: "ok" });
      expect(await outcomeOf(api)).toMatch(/^429 application\/json 7 \{"error"/);
      expect(await outcomeOf(api)).toMatch(/^502 text\/html {2}<html>/);
      expect(await outcomeOf(api)).toMatch(/^200 application\/json .*"choi$/);
      expect(await outcomeOf(api)).toBe("200 text/plain  ok");
      expect(await outcomeOf(api)).toMatch(/^200 text\/event-stream/);
    });
  });

  it.each([
    ["reset-before-answer" as const, /ECONNRESET|other side closed/],
    ["reset-mid-stream" as const, /ECONNRESET|other side closed|terminated/],
    ["short-body" as const, /other side closed|terminated|ECONNRESET/],
    ["end-mid-stream" as const, /^200 [^]*Half of an /],
    ["error-mid-stream" as const, /Half of an [^]*"error"/],
  ])("%s", async (kind, expected) => {
    await withFake(async (api) => {
      api.failNext({ kind });
      const outcome = await outcomeOf(api);
      expect(outcome).toMatch(expected);
      expect(outcome).not.toContain("[DONE]");
    });
  });

  it.each(["stall-before-answer" as const, "stall-mid-stream" as const, "endless-stream" as const])(
    "%s lasts until the caller goes",
    async (kind) => {
      await withFake(async (api) => {
        api.failNext({ kind });
        const request = httpRequest(`${api.apiUrl}/chat/completions`, { method: "POST" }).on("error", () => {});
        request.end(JSON.stringify(ask));
        await expect.poll(() => api.load.current, patient).toBe(1);
        request.destroy();
        await expect.poll(() => api.abandonedCount, patient).toBe(1);
      });
    },
  );

  it("redirects", async () => {
    await withFake(async (api) => {
      api.failNext({ kind: "redirect", location: "http://127.0.0.1:1/v1" });
      const response = await fetch(`${api.apiUrl}/models`, { redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/v1"]);
    });
  });
});
