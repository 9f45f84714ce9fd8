import { PassThrough } from "node:stream";
import type { FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { AppError } from "../app-error.ts";
import { createLogger } from "../create-logger.ts";
import { createHttpServer, type HttpServerOptions } from "./create-http-server.ts";

interface Started {
  readonly server: FastifyInstance;
  readonly url: string;
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

async function start(options: Partial<HttpServerOptions> = {}): Promise<Started> {
  const log: Record<string, unknown>[] = [];
  const write = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
  const server = createHttpServer({
    logger: createLogger("test", "info", { write }),
    maxBodyBytes: 1000,
    drainTimeoutMs: 1,
    headers: { "cache-control": "no-store" },
    realm: "test",
    notFound: "NODE_ROUTE_NOT_FOUND",
    ...options,
  });
  server.post("/said", { config: { operation: "say" } }, async ({ body }) => body ?? { isEmpty: true });
  server.get("/closed", async () => {
    throw new AppError("NODE_TOKEN_REQUIRED");
  });
  server.get("/busy", async () => {
    throw new AppError("SHUTTING_DOWN", { retryAfterMs: 1001 });
  });
  server.get("/broken", async () => {
    throw new TypeError("the secret of /etc/passwd");
  });
  server.get("/endless", async (_, reply) => {
    const body = new PassThrough();
    body.write("begun");
    return reply.send(body);
  });
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  return { server, url, log };
}

const post = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/said`, { method: "POST", body, headers: { "content-type": "application/json" } });

test.each([
  ["no such path", (url: string) => fetch(`${url}/else`), 404, "NODE_ROUTE_NOT_FOUND"],
  ["a path that cannot be decoded", (url: string) => fetch(`${url}/%zz`), 400, "REQUEST_MALFORMED"],
  ["no JSON", (url: string) => post(url, "{"), 400, "REQUEST_MALFORMED"],
  ["JSON that changes prototypes", (url: string) => post(url, '{"__proto__": {}}'), 400, "REQUEST_MALFORMED"],
  ["a plain text", (url: string) => fetch(`${url}/said`, { method: "POST", body: "a" }), 400, "REQUEST_MALFORMED"],
  ["too much", (url: string) => post(url, JSON.stringify("x".repeat(1000))), 413, "REQUEST_TOO_LARGE"],
  ["what the operation throws", (url: string) => fetch(`${url}/busy`), 503, "SHUTTING_DOWN"],
])("%s is told as a problem, with the headers of every answer", async (...[, ask, status, reason]) => {
  const { url } = await start();
  const response = await ask(url);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    status,
    "application/problem+json; charset=utf-8",
  ]);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(await response.json()).toMatchObject({ status, reason, request_id: response.headers.get("x-request-id") });
});

test("a token that is missing is asked for, and a caller is told when to come again", async () => {
  const { url } = await start();
  expect((await fetch(`${url}/closed`)).headers.get("www-authenticate")).toBe('Bearer realm="test"');
  const busy = await fetch(`${url}/busy`);
  expect([busy.headers.get("retry-after"), busy.headers.get("www-authenticate")]).toEqual(["2", null]);
});

test("a fault of ours is in the log, and nothing of it in the answer", async () => {
  const { url, log } = await start();
  const response = await fetch(`${url}/broken`);
  expect(await response.text()).not.toContain("passwd");
  const [entry] = log.filter(({ level }) => level === "error");
  expect(entry).toMatchObject({ reason: "INTERNAL", requestId: response.headers.get("x-request-id") });
  expect(JSON.stringify(entry)).toContain("the secret of /etc/passwd");
});

test("some requests may be refused in another form, with what all refusals have", async () => {
  const { url } = await start({
    renderRefusal: ({ problem }, { url: path }) =>
      path === "/closed" ? { status: 401, mediaType: "application/json", body: { why: problem.reason } } : undefined,
  });
  const other = await fetch(`${url}/closed`);
  expect(other.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(other.headers.get("www-authenticate")).toBe('Bearer realm="test"');
  expect(await other.json()).toEqual({ why: "NODE_TOKEN_REQUIRED" });
  expect((await fetch(`${url}/else`)).headers.get("content-type")).toMatch(/^application\/problem\+json/);
});

test("a request keeps the id that it brings, where that can stand in a log", async () => {
  const { url, log } = await start({ describeCaller: ({ method }) => ({ caller: `of ${method}` }) });
  const idOf = async (id: string) =>
    (await fetch(`${url}/else`, { headers: { "x-request-id": id } })).headers.get("x-request-id");
  expect(await idOf("one.of-mine_1")).toBe("one.of-mine_1");
  expect(await idOf('a" b')).toMatch(/^[\da-f-]{36}$/);
  await post(url, "{}");
  await expect.poll(() => log.filter(({ msg }) => msg === "request").length).toBe(3);
  expect(log[0]).toMatchObject({ requestId: "one.of-mine_1", method: "GET", status: 404, caller: "of GET" });
  expect(log[2]).toMatchObject({ operation: "say", status: 200, durationMs: expect.any(Number) });
});

test("a server that closes says so first, waits for what is under way, and then cuts it off", async () => {
  const told: string[] = [];
  const { server, url, log } = await start({ onStop: () => told.push("stop") });
  const response = await fetch(`${url}/endless`);
  await server.close();
  expect(told).toEqual(["stop"]);
  await expect(response.text()).rejects.toThrow("terminated");
  expect(log).toContainEqual(expect.objectContaining({ level: "warn", cut: 1 }));
});

test("the header of JSON without a body is a request without a body", async () => {
  const { url } = await start();
  expect(await (await post(url, "")).json()).toEqual({ isEmpty: true });
});
