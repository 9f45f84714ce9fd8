import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { limitBodyTime } from "./limit-body-time.ts";
import { toProblem } from "./to-problem.ts";

async function listen(limitMs: number): Promise<number> {
  const server = fastify({ bodyLimit: 1024 });
  limitBodyTime(server, limitMs);
  server.setErrorHandler(async (error, request, reply) => {
    const { problem } = toProblem(error, request.id);
    return reply.status(problem.status).send(problem);
  });
  server.post("/", async ({ body }) => body);
  await server.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  return (server.server.address() as AddressInfo).port;
}

const head = "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n";

test("a body that does not come is given up, and the caller is told", async () => {
  const socket = connect(await listen(100), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(`${head}{"a":`);
  await once(socket, "close");
  expect(answer).toContain("HTTP/1.1 408");
  expect(answer).toContain("REQUEST_TOO_SLOW");
});

test("a body that comes in time is read", async () => {
  const port = await listen(60_000);
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1}',
  });
  expect(await response.json()).toEqual({ a: 1 });
});

test("a request that is refused before its body is read ends nothing but itself", async () => {
  const port = await listen(20);
  const refused: readonly RequestInit[] = [
    { method: "POST", body: new URLSearchParams({ a: "b" }) },
    { method: "PUT", body: new URLSearchParams({ a: "b" }) },
    { method: "POST", body: `"${"a".repeat(2048)}"`, headers: { "content-type": "application/json" } },
  ];
  for (const path of ["", "unknown"]) {
    for (const request of refused) {
      const response = await fetch(`http://127.0.0.1:${port}/${path}`, request);
      expect(response.status).toBeGreaterThanOrEqual(400);
      await response.text();
    }
  }
  // An error that nobody hears would come when the time of the bodies is over, and fail this test.
  await new Promise((resolve) => setTimeout(resolve, 100));
});
