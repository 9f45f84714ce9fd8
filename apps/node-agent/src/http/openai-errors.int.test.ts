import { openaiError } from "@attune/contracts/compute/openai-chat-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { createLogger } from "@attune/service-kit/create-logger.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { bindNodeRoute, defineNodeRoute, type NodeBinding, type ServerEvent } from "./node-route.ts";
import { type ServedRoutes, serveRoutes } from "./serve-routes.fixture.ts";

const common = { tag: "test", summary: "A test", access: "token" } as const;
const message = z.object({ content: z.string() });
const body = z.object({ model: z.string(), messages: z.array(message) });

function take(path: "/v1/take" | "/take"): NodeBinding {
  const responses = { 200: z.strictObject({ model: z.string() }) };
  const route = defineNodeRoute({ ...common, id: path, method: "POST", path, body, responses, maxBodyBytes: 1000 });
  return bindNodeRoute(route, async ({ body: { model } }) => {
    if (model === "broken") throw new TypeError("the secret of /etc/passwd");
    if (model === "full") throw new AppError("MODEL_QUEUE_FULL", { retryAfterMs: 1500 });
    return { body: { model } };
  });
}

function follow(path: "/v1/follow" | "/follow"): NodeBinding {
  const responses = { 200: { mediaType: "text/event-stream", description: "Events" } } as const;
  const route = defineNodeRoute({ ...common, id: path, method: "GET", path, responses });
  async function* events(): AsyncGenerator<ServerEvent> {
    yield { data: "begun" };
    throw new AppError("INFERENCE_ENGINE_DIED");
  }
  return bindNodeRoute(route, async () => ({ events: events() }));
}

const token = "the-token-of-the-node";
const authorization = `Bearer ${token}`;
const problems: string[] = [];
let served: ServedRoutes;
beforeAll(async () => {
  served = await serveRoutes([take("/v1/take"), take("/take"), follow("/v1/follow"), follow("/follow")], {
    settings: { token: new Secret(token) },
    logger: createLogger("node-agent", "silent"),
    countProblem: (reason) => problems.push(reason),
  });
});
afterAll(() => served[Symbol.asyncDispose]());

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = ({ path = "/v1/take", method = "POST", body: text = "{}", headers = {} }: Asked): Promise<Response> =>
  fetch(served.url + path, {
    method,
    headers: { "content-type": "application/json", authorization, ...headers },
    ...(method !== "GET" && { body: text }),
  });

async function errorOf(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-request-id")).toMatch(/\w/);
  const { error } = z.strictObject({ error: openaiError.shape.error.strict() }).parse(await response.json());
  return { status: response.status, ...error };
}

const refused = { type: "invalid_request_error", param: null };
const good = { model: "a", messages: [] };

test.each<[string, Asked, object]>([
  ["no token", { headers: { authorization: "" } }, { status: 401, ...refused, code: "invalid_api_key" }],
  ["another token", { headers: { authorization: "Bearer no" } }, { status: 401, code: "invalid_api_key" }],
  ["no JSON", { body: "{" }, { status: 400, ...refused }],
  ["nothing", { body: "" }, { status: 400, ...refused }],
  ["a plain text", { headers: { "content-type": "text/plain" } }, { status: 400, ...refused }],
  ["no object", { body: "[]" }, { status: 400, ...refused }],
  ["a missing field", { body: '{"messages":[]}' }, { status: 400, ...refused, param: "model" }],
  [
    "a field of another type",
    { body: '{"model":"a","messages":[{"content":1}]}' },
    { status: 400, ...refused, param: "messages.0.content", message: expect.stringContaining("messages.0.content: ") },
  ],
  ["half a character", { body: '{"model":"\\ud800","messages":[]}' }, { status: 400, ...refused, param: "model" }],
  ["too much", { body: JSON.stringify({ ...good, model: "x".repeat(1000) }) }, { status: 413, ...refused }],
  ["no such path", { path: "/v1/embeddings" }, { status: 404, ...refused, code: "unknown_url" }],
  ["no path at all", { path: "/v1" }, { status: 404, ...refused, code: "unknown_url" }],
  ["another method", { method: "GET" }, { status: 404, ...refused, code: "unknown_url" }],
  ["a path that cannot be decoded", { path: "/v1/%zz" }, { status: 400, ...refused }],
  ["a query that nobody takes", { path: "/v1/follow?limit=2", method: "GET" }, { status: 400, ...refused }],
  ["a page of another site", { headers: { origin: "https://example.com" } }, { status: 403, ...refused }],
  ["a queue that is full", { body: '{"model":"full","messages":[]}' }, { status: 429, type: "rate_limit_error" }],
  ["a bug of ours", { body: '{"model":"broken","messages":[]}' }, { status: 500, type: "server_error" }],
])("below /v1 %s is told in OpenAI's form", async (...[, asked, expected]) => {
  const response = await ask(asked);
  const error = await errorOf(response);
  expect(error).toMatchObject(expected);
  expect(error.message).not.toMatch(/passwd|violations|Content-Type: application\/problem/);
});

test("a token is asked for, and a time to come again is told, as by every refusal", async () => {
  const closed = await ask({ headers: { authorization: "" } });
  expect(closed.headers.get("www-authenticate")).toBe('Bearer realm="attune-node"');
  const full = await ask({ body: '{"model":"full","messages":[]}' });
  expect(full.headers.get("retry-after")).toBe("2");
});

test("all faults of a request are told at once, the first as its parameter", async () => {
  const { message: text, param } = await errorOf(await ask({ body: '{"messages":[{}]}' }));
  expect(param).toBe("model");
  expect(text).toMatch(/model: .*messages\.0\.content: /s);
});

test("what is refused or fails is counted by its reason", async () => {
  problems.length = 0;
  await ask({ body: "{" });
  await (await ask({ path: "/v1/follow", method: "GET" })).text();
  expect(problems).toEqual(["REQUEST_MALFORMED", "INFERENCE_ENGINE_DIED"]);
});

test("a stream that fails says so in its last frame in OpenAI's form", async () => {
  const text = await (await ask({ path: "/v1/follow", method: "GET" })).text();
  const last = text.trimEnd().split("\n\n").at(-1) ?? "";
  expect(last).toMatch(/^data: /);
  expect(openaiError.parse(JSON.parse(last.slice("data: ".length))).error).toMatchObject({
    type: "server_error",
    code: "inference_engine_died",
  });
});

describe("other operations", () => {
  test.each<[Asked, number, string]>([
    [{ headers: { authorization: "" } }, 401, "NODE_TOKEN_REQUIRED"],
    [{ body: "{" }, 400, "REQUEST_MALFORMED"],
    [{}, 422, "REQUEST_INVALID"],
    [{ path: "/v10/take" }, 404, "NODE_ROUTE_NOT_FOUND"],
    [{ path: "/take/v1/take" }, 404, "NODE_ROUTE_NOT_FOUND"],
    [{ path: "/take?at=/v1/" }, 422, "REQUEST_INVALID"],
  ])("keep to problems: %j", async (asked, status, reason) => {
    const response = await ask({ path: "/take", ...asked });
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ status, reason });
  });
  test("tell what a stream broke off with as a problem", async () => {
    const text = await (await ask({ path: "/follow", method: "GET" })).text();
    expect(text).toContain("event: problem\n");
  });
});
