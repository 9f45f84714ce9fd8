import { AppError } from "@attune/service-kit/app-error.ts";
import { type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOutboundHttp } from "../outbound/guarded-http.ts";
import { defaultOutboundSettings } from "../outbound/outbound-settings.ts";
import { callRemote, maxAnswerBytes } from "./remote-service.ts";

const http = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: ["127.0.0.1"] });
const never = new AbortController().signal;

let server: HttpFixture;
beforeAll(async () => {
  server = await startHttpFixture(({ url = "" }, response) => {
    if (url === "/fail") response.writeHead(500).end("Traceback: the text of the document");
    else response.writeHead(200).end(Buffer.alloc(Number(url.slice(1))));
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const call = (path: string, isTrusted: boolean) =>
  callRemote(http, { engine: "peer", endpoint: { url: server.origin, isTrusted }, path, timeoutMs: 20_000 }, never);

test.each([
  [true, maxAnswerBytes.trusted],
  [false, maxAnswerBytes.untrusted],
])("an answer is bounded, more tightly where the caller chose the address (trusted: %s)", async (isTrusted, most) => {
  expect((await call(`/${most}`, isTrusted)).body.length).toBe(most);
  await expect(call(`/${most + 1}`, isTrusted)).rejects.toMatchObject({ reason: "OUTPUT_TOO_LARGE" });
  expect(maxAnswerBytes).toEqual({ trusted: 64 << 20, untrusted: 16 << 20 });
});

test("what a service says of its failure reaches the log, not the caller", async () => {
  const failure: unknown = await call("/fail", true).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AppError);
  expect(failure).toMatchObject({ reason: "ENGINE_FAILED", cause: { message: "Traceback: the text of the document" } });
  expect(String(failure)).not.toContain("Traceback");
});

test("an address of the operator's that is none is an engine that is not set up", async () => {
  const endpoint = { url: "ftp://peer.example", isTrusted: true };
  const calling = callRemote(http, { engine: "peer", endpoint, path: "", timeoutMs: 1000 }, never);
  await expect(calling).rejects.toMatchObject({ reason: "ENGINE_UNAVAILABLE" });
});
