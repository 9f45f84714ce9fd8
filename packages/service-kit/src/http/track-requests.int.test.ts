import { PassThrough } from "node:stream";
import fastify from "fastify";
import { expect, test } from "vitest";
import { trackRequests } from "./track-requests.ts";

async function serve(mediaType: string) {
  const server = fastify({ forceCloseConnections: true });
  const requests = trackRequests(server, { countsStreams: false });
  const body = new PassThrough();
  server.get("/", (_, reply) => reply.type(mediaType).send(body));
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  body.write("begun\n");
  const response = await fetch(url);
  return { requests, response, body, [Symbol.asyncDispose]: async () => server.close() };
}

test("an answer whose last byte is not sent is waited for, and no longer than asked", async () => {
  await using slow = await serve("text/plain");
  expect(await slow.requests.drain(1)).toBe(1);
  const drained = slow.requests.drain(600_000);
  slow.body.end("done");
  expect(await slow.response.text()).toBe("begun\ndone");
  expect(await drained).toBe(0);
});

test("a stream of events, which has no end, is not waited for", async () => {
  await using stream = await serve("text/event-stream");
  expect(await stream.requests.drain(600_000)).toBe(0);
  stream.body.end();
});
