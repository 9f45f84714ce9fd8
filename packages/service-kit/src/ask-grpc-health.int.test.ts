import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer, type Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { askGrpcHealth } from "./ask-grpc-health.ts";

async function listen(server: Pick<Server, "listen" | "address" | "close" | "once">): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server as Server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function serve(answer: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server = createHttp2Server();
  server.on("stream", answer);
  // A session that the client cuts off in the middle is what some of these tests are about.
  server.on("sessionError", () => undefined);
  return listen(server);
}

const head = { ":status": 200, "content-type": "application/grpc" };
const say = (bytes: readonly number[], status: string) => (stream: ServerHttp2Stream) => {
  stream.respond(head, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status }));
  stream.end(Buffer.from(bytes));
};
const ask = (origin: string, timeoutMs = 60_000) => askGrpcHealth({ origin, timeoutMs });

test.each([
  ["serving", [0, 0, 0, 0, 2, 8, 1]],
  ["not_serving", [0, 0, 0, 0, 2, 8, 2]],
  // Of a message without fields the state is unknown.
  ["not_serving", [0, 0, 0, 0, 0]],
])("a service is told to be %s", async (health, bytes) => {
  expect(await ask(await serve(say(bytes, "0")))).toBe(health);
});

test("an error of gRPC is no health, also where the bytes look well", async () => {
  await expect(ask(await serve(say([0, 0, 0, 0, 2, 8, 1], "14")))).rejects.toThrow("gRPC status 14");
  const unimplemented = (stream: ServerHttp2Stream): void => {
    stream.respond({ ...head, "grpc-status": "12", "grpc-message": "unknown service" }, { endStream: true });
  };
  await expect(ask(await serve(unimplemented))).rejects.toThrow("gRPC status 12: unknown service");
});

test("a server of something else is told as such", async () => {
  await expect(ask(await listen(createHttpServer((_, response) => response.end("hello"))))).rejects.toThrow(/./);
  const flood = (stream: ServerHttp2Stream): void => {
    stream.on("error", () => undefined);
    stream.respond(head);
    stream.write(Buffer.alloc(10_000));
  };
  await expect(ask(await serve(flood))).rejects.toThrow("not one about health");
});

test("one that says nothing is given up after the time, and one that is gone at once", async () => {
  const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
  const origin = await listen(silent);
  await expect(ask(origin, 300)).rejects.toThrow("no answer in 300 ms");
  await expect(ask("http://127.0.0.1:1")).rejects.toThrow("ECONNREFUSED");
});

test("it ends with its signal", async () => {
  const silent = createServer((socket) => onTestFinished(() => void socket.destroy()));
  const origin = await listen(silent);
  const controller = new AbortController();
  const asking = askGrpcHealth({ origin, timeoutMs: 60_000 }, controller.signal);
  controller.abort(new Error("nobody wants to know"));
  await expect(asking).rejects.toThrow("nobody wants to know");
});
