import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createServer, type ServerSettings } from "./create-server.ts";
import { bindNodeRoute, defineNodeRoute, type ServerEvent } from "./node-route.ts";

const token = new Secret("the-token-of-the-node");

const take = bindNodeRoute(
  defineNodeRoute({
    id: "take",
    method: "POST",
    path: "/take",
    tag: "test",
    summary: "Takes a text",
    access: "token",
    body: z.strictObject({ text: z.string().max(100) }),
    responses: { 200: z.strictObject({ length: z.int() }) },
  }),
  async ({ body }) => ({ body: { length: body.text.length } }),
);
const broken = bindNodeRoute(
  defineNodeRoute({
    id: "broken",
    method: "GET",
    path: "/broken",
    tag: "test",
    summary: "Has a bug",
    access: "public",
    query: z.strictObject({ how: z.enum(["throws", "answers"]) }),
    responses: { 200: z.strictObject({ length: z.int() }) },
  }),
  async ({ query }) => {
    if (query.how === "throws") throw new TypeError("secret of /etc/passwd");
    return { body: { length: "no number" } as never };
  },
);
const endless = (taken: () => void) =>
  bindNodeRoute(
    defineNodeRoute({
      id: "endless",
      method: "GET",
      path: "/endless",
      tag: "test",
      summary: "Has no end",
      access: "public",
      responses: { 200: { mediaType: "text/event-stream", description: "Events" } },
    }),
    async ({ signal }) => ({ events: floods(signal, taken) }),
  );
async function* floods(signal: AbortSignal, ended: () => void): AsyncGenerator<ServerEvent> {
  try {
    while (!signal.aborted) yield { data: "x".repeat(10_000) };
  } finally {
    ended();
  }
}

async function listen(settings: Partial<ServerSettings> = {}, ended = (): void => undefined): Promise<number> {
  const server = await createServer([take, broken, endless(ended)], {
    logger: createLogger("node-agent", "silent"),
    settings: { token: undefined, ...settings },
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  return (server.server.address() as AddressInfo).port;
}

/** What comes back for these bytes, until the connection ends. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.on("error", () => undefined);
  socket.write(text);
  await once(socket, "close");
  return answer;
}

/** @param line such as `GET /health` */
const request = (line: string, headers: Readonly<Record<string, string>>, body = ""): string =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ host: "127.0.0.1", connection: "close", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "",
    body,
  ].join("\r\n");

const problemIn = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));

test.each([
  ["no HTTP", "HELLO\r\n\r\n", 400, "REQUEST_MALFORMED"],
  ["a header without a colon", "GET /healthz HTTP/1.1\r\nHost x\r\n\r\n", 400, "REQUEST_MALFORMED"],
  ["too long headers", request("GET /take", { "x-long": "x".repeat(20_000) }), 431, "REQUEST_TOO_LARGE"],
  ["a path that cannot be decoded", request("GET /%zz", {}), 400, "REQUEST_MALFORMED"],
  ["no such path", request("GET /etc/passwd", {}), 404, "NODE_ROUTE_NOT_FOUND"],
  ["no such method", request("DELETE /take", {}), 404, "NODE_ROUTE_NOT_FOUND"],
  [
    "half a body",
    request("POST /take", { "content-type": "application/json", "content-length": "1" }, "{"),
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a form",
    request("POST /take", { "content-type": "text/plain", "content-length": "2" }, "{}"),
    400,
    "REQUEST_MALFORMED",
  ],
])("%s is answered with a problem", async (...[, text, status, reason]) => {
  const answer = await send(await listen(), text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/content-type: application\/problem\+json/i);
  expect(problemIn(answer)).toMatchObject({ status, reason, remedy: expect.stringMatching(/\w/) });
});

test.each([
  [{}, 200, undefined],
  [{ host: "localhost:8090" }, 200, undefined],
  [{ host: "[::1]:8090" }, 200, undefined],
  [{ host: "10.0.0.7" }, 200, undefined],
  [{ host: "rebound.example.com" }, 421, "NODE_HOST_REFUSED"],
  [{ host: "127.0.0.1.example.com:8090" }, 421, "NODE_HOST_REFUSED"],
  [{ host: "localhost.example.com" }, 421, "NODE_HOST_REFUSED"],
  [{ origin: "https://example.com" }, 403, "NODE_ORIGIN_REFUSED"],
  [{ origin: "null" }, 403, "NODE_ORIGIN_REFUSED"],
  [{ origin: "http://127.0.0.1" }, 200, undefined],
  [{ "sec-fetch-site": "cross-site" }, 403, "NODE_ORIGIN_REFUSED"],
  [{ "sec-fetch-site": "same-site" }, 403, "NODE_ORIGIN_REFUSED"],
])("without a token, a page in a browser is refused by what it must send: %j", async (headers, status, reason) => {
  const answer = await send(await listen(), request("GET /openapi.json", headers));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect((problemIn(answer) as { reason?: string }).reason).toBe(reason);
});

test("with a token, any name of the machine will do, and no page of another site", async () => {
  const port = await listen({ token });
  const named = { host: "node-1.example.com", authorization: `Bearer ${token.reveal()}` };
  expect(await send(port, request("GET /openapi.json", named))).toMatch(/^HTTP\/1.1 200 /);
  const foreign = { ...named, origin: "https://example.com" };
  expect(await send(port, request("GET /openapi.json", foreign))).toMatch(/^HTTP\/1.1 403 /);
});

test("no preflight of a browser is answered", async () => {
  const headers = { origin: "https://example.com", "access-control-request-method": "POST" };
  const answer = await send(await listen(), request("OPTIONS /take", headers));
  expect(answer).not.toMatch(/access-control-allow/i);
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
});

test("a body that is larger than it may be is refused, and the request is not read to its end", async () => {
  const port = await listen({ maxBodyBytes: 1000 });
  const headers = { "content-type": "application/json", "content-length": "1000000000" };
  const answer = await send(port, request("POST /take", headers, "{"));
  expect(problemIn(answer)).toMatchObject({ status: 413, reason: "REQUEST_TOO_LARGE" });
});

test.each([
  ['{"text":"a\\u0000b"}', "/body/text"],
  ['{"text":"a\\ud800"}', "/body/text"],
  ['{"text":"a","more":1}', "/body"],
  ['{"text":1}', "/body/text"],
  ["[]", "/body"],
])("%s is refused by its place", async (body, pointer) => {
  const port = await listen();
  const headers = { "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/take`, { method: "POST", headers, body });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ reason: "REQUEST_INVALID", violations: [{ pointer }] });
});

test.each(["throws", "answers"])("a bug of ours tells nothing of the machine: %s", async (how) => {
  const port = await listen();
  const response = await fetch(`http://127.0.0.1:${port}/broken?how=${how}`);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ status: 500, reason: "INTERNAL" });
  expect(text).not.toContain("passwd");
  expect(response.headers.get("x-request-id")).toBe((JSON.parse(text) as { request_id: string }).request_id);
});

test("who takes nothing of what is sent is cut off, and what it held is let go", async () => {
  let isEnded = false;
  const port = await listen({ stallMs: 200 }, () => (isEnded = true));
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(request("GET /endless", {}));
  await expect.poll(() => isEnded, { timeout: 20_000 }).toBe(true);
  socket.destroy();
});
