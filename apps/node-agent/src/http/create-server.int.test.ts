import { Readable } from "node:stream";
import * as z from "zod";
import { AppError } from "@attune/service-kit/app-error.ts";
import { Secret } from "@attune/service-kit/secret.ts";
import { expect, test } from "vitest";
import { bindNodeRoute, defineNodeRoute, type ServerEvent } from "./node-route.ts";
import { serveRoutes } from "./serve-routes.fixture.ts";

const echo = defineNodeRoute({
  id: "echo",
  method: "POST",
  path: "/echo/{name}",
  tag: "test",
  summary: "Gives back what it gets",
  access: "token",
  params: z.strictObject({ name: z.string().max(20) }),
  query: z.strictObject({ times: z.coerce.number().int().max(3).default(1) }),
  body: z.strictObject({ text: z.string().optional() }),
  responses: { 200: z.strictObject({ said: z.string() }) },
});
const echoes = bindNodeRoute(echo, async ({ params, query, body }) => ({
  body: { said: `${params.name}:${body.text ?? ""}`.repeat(query.times) },
}));

const bytes = bindNodeRoute(
  defineNodeRoute({
    id: "bytes",
    method: "GET",
    path: "/bytes",
    tag: "test",
    summary: "Bytes",
    access: "public",
    responses: { 200: { mediaType: "application/octet-stream", description: "Bytes" } },
  }),
  async () => ({ body: Readable.from([Buffer.from("ab"), Buffer.from("cd")]) }),
);

const follow = (events: (signal: AbortSignal) => AsyncIterable<ServerEvent>) =>
  bindNodeRoute(
    defineNodeRoute({
      id: "follow",
      method: "GET",
      path: "/follow",
      tag: "test",
      summary: "Events",
      access: "public",
      responses: { 200: { mediaType: "text/event-stream", description: "Events" } },
    }),
    async ({ signal }) => ({ events: events(signal) }),
  );

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

test("a request is read by its schemas, and its answer has the form of the route", async () => {
  await using served = await serveRoutes([echoes]);
  const response = await post(`${served.url}/echo/a?times=2`, '{"text":"b"}');
  expect([response.status, await response.json()]).toEqual([200, { said: "a:ba:b" }]);
});

test("all faults of a request are told at once, by their places", async () => {
  await using served = await serveRoutes([echoes]);
  const response = await post(`${served.url}/echo/${"a".repeat(21)}?times=9&more=1`, '{"text":1,"else":2}');
  const problem = (await response.json()) as { violations: { pointer: string }[] };
  expect(problem).toMatchObject({ status: 422, reason: "REQUEST_INVALID" });
  expect(problem.violations.map(({ pointer }) => pointer)).toEqual([
    "/path/name",
    "/query/times",
    "/query",
    "/body/text",
    "/body",
  ]);
});

test("without the node's token nothing is told, not even of the form", async () => {
  await using served = await serveRoutes([echoes, bytes], { settings: { token: new Secret("right-token") } });
  for (const authorization of ["", "Bearer wrong", "Bearer right-toke", "Bearer right-token2", "Basic right-token"]) {
    const response = await post(`${served.url}/echo/a`, "{", { authorization });
    expect([authorization, response.status]).toEqual([authorization, 401]);
    expect(await response.json()).toMatchObject({ reason: "NODE_TOKEN_REQUIRED" });
  }
  const response = await post(`${served.url}/echo/a`, "{}", { authorization: "Bearer right-token" });
  expect(response.status).toBe(200);
  expect((await fetch(`${served.url}/bytes`)).status).toBe(200);
});

test("bytes and events come as they are", async () => {
  const events = async function* (): AsyncGenerator<ServerEvent> {
    yield { event: "delta", id: "1", data: { text: "a\nb" } };
    yield { text: "[DONE]" };
  };
  await using served = await serveRoutes([bytes, follow(events)]);
  expect(await (await fetch(`${served.url}/bytes`)).text()).toBe("abcd");
  const response = await fetch(`${served.url}/follow`);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(await response.text()).toBe(
    ': events follow\n\nevent: delta\nid: 1\ndata: {"text":"a\\nb"}\n\ndata: [DONE]\n\n',
  );
});

test("what events throw is told in a last frame", async () => {
  const events = async function* (): AsyncGenerator<ServerEvent> {
    yield { data: 1 };
    throw new AppError("MODEL_NOT_LOADED", { detail: "It ended." });
  };
  await using served = await serveRoutes([follow(events)]);
  const [, , frame = ""] = (await (await fetch(`${served.url}/follow`)).text()).split("\n\n");
  const [name, data = ""] = frame.split("\n");
  expect(name).toBe("event: problem");
  expect(JSON.parse(data.slice("data: ".length))).toMatchObject({ reason: "MODEL_NOT_LOADED", detail: "It ended." });
});

test("events that wait are ended when the caller goes away, and when the server stops", async () => {
  const ended: string[] = [];
  const events = async function* (signal: AbortSignal): AsyncGenerator<ServerEvent> {
    yield { data: "begun" };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    ended.push("ended");
  };
  const settings = { token: undefined, heartbeatMs: 10, drainTimeoutMs: 20_000 };
  const served = await serveRoutes([follow(events)], { settings });
  const controller = new AbortController();
  const response = await fetch(`${served.url}/follow`, { signal: controller.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(": alive")) text += (await reader?.read())?.value;
  controller.abort();
  await reader?.closed.catch(() => undefined);
  await expect.poll(() => ended.length).toBe(1);
  const second = await fetch(`${served.url}/follow`);
  await served[Symbol.asyncDispose]();
  expect(await second.text()).toMatch(/begun[^]*event: problem\ndata: .*SHUTTING_DOWN/);
  await expect.poll(() => ended.length).toBe(2);
});
