import type { IncomingHttpHeaders } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectSocket } from "node:net";
import { gzipSync } from "node:zlib";
import { Secret } from "@attune/service-kit/secret.ts";
import { createDocparserClient } from "@attune/testkit/docparser-client.ts";
import { until } from "@attune/testkit/processes.ts";
import { status as codes } from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { createAdmission } from "../pipeline/admission.ts";
import type { ParseOutcome } from "../pipeline/parse-call.ts";
import { createServer, type ServerDeps, type ServerSettings } from "./create-server.ts";
import { lengthField } from "./protobuf-wire.ts";

const mib = 1 << 20;
const documents = "/docparser.DocumentParser/ParseDocument";
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const settings: ServerSettings = {
  host: "127.0.0.1",
  port: 0,
  token: undefined,
  tls: undefined,
  hasReflection: true,
  maxRequestBytes: 2 * mib,
  maxResponseBytes: 4 * mib,
  receiveTimeoutMs: 20_000,
};

const answered = (content: string): ParseOutcome => ({
  success: true,
  content: Buffer.from(content),
  contentLength: content.length,
  message: "",
  fileType: "txt",
  parserEngine: "test",
});

async function start(own: Partial<ServerSettings & ServerDeps & { maxInside: number }> = {}) {
  const admission = createAdmission({ maxInside: own.maxInside ?? 8, workers: 1 });
  const parseDocument = async () => answered("text");
  const lists = { listFormats: async () => [], listEngines: async () => [] };
  const server = createServer({ ...settings, ...own }, { admission, parseDocument, onEnd: () => {}, ...lists, ...own });
  const address = `127.0.0.1:${await server.start()}`;
  closers.push(() => server.drain(0));
  return { server, admission, address };
}

function clientOf(address: string) {
  const client = createDocparserClient(address);
  closers.push(() => client.close());
  return client;
}

function sessionTo(address: string): ClientHttp2Session {
  const session = connect(`http://${address}`);
  session.on("error", () => {});
  closers.push(() => session.destroy());
  return session;
}

interface RawCall {
  readonly stream: ClientHttp2Stream;
  /** Of trailers or, in an answer without a body, of headers. */
  readonly status: () => { code: number; text: string; reason: string | undefined } | undefined;
  readonly isClosed: () => boolean;
}

/** A call byte by byte, as a client may make it that keeps to no rules. */
function rawCall(session: ClientHttp2Session, { path = documents, ...headers }: Record<string, string> = {}): RawCall {
  const stream = session.request(
    { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers },
    { endStream: false },
  );
  let status: ReturnType<RawCall["status"]>;
  let isClosed = false;
  const read = (received: IncomingHttpHeaders): void => {
    if (received["grpc-status"] === undefined) return;
    const details = Buffer.from([received["grpc-status-details-bin"] ?? ""].join(""), "base64").toString("latin1");
    status = {
      code: Number(received["grpc-status"]),
      text: decodeURI([received["grpc-message"] ?? ""].join("")),
      reason: /google\.rpc\.ErrorInfo[^A-Z]*([A-Z_]+)/.exec(details)?.[1],
    };
  };
  stream.on("response", read);
  stream.on("trailers", read);
  stream.on("error", () => {});
  stream.on("close", () => (isClosed = true));
  stream.resume();
  return { stream, status: () => status, isClosed: () => isClosed };
}

/** A message as it travels: flag, length, bytes. */
function framed(message: Uint8Array, { isCompressed = false, bytes = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0, 0);
  head.writeUInt32BE(bytes, 1);
  return Buffer.concat([head, message]);
}

async function statusOf(call: RawCall) {
  await until(() => call.status() !== undefined, 5000, "a status has come");
  return call.status();
}

test("unfinished requests of one caller hold no more than the budget, and small ones still pass", async () => {
  const { address } = await start({ maxHeldRequestBytes: 4 * mib });
  const session = sessionTo(address);
  const calls = Array.from({ length: 7 }, () => rawCall(session));
  for (const { stream } of calls) stream.write(framed(Buffer.alloc(mib + (mib >> 1)), { bytes: 2 * mib }));

  await until(() => calls.filter((call) => call.status() !== undefined).length >= 5, 5000, "five are refused");

  const refused = calls.filter((call) => call.status() !== undefined);
  expect(refused.length).toBe(5);
  for (const call of refused) {
    expect(call.status()).toMatchObject({ code: codes.RESOURCE_EXHAUSTED, reason: "QUEUE_FULL" });
    await until(call.isClosed, 2000, "what it sent is given up");
  }
  await expect(clientOf(address).parse({ file_url: "data:,small" })).resolves.toMatchObject({ success: true });
  for (const { stream } of calls) stream.close(constants.NGHTTP2_CANCEL);
  const large = { file_url: `data:,${"x".repeat(mib)}` };
  await until(() => calls.every((call) => call.isClosed()), 2000, "all are gone");
  await expect(clientOf(address).parse(large)).resolves.toMatchObject({ success: true });
});

test("requests of documents under way count until they are answered", async () => {
  let finish = (): void => {};
  const underWay = new Promise<ParseOutcome>((resolve) => (finish = () => resolve(answered("late"))));
  let entered = 0;
  const parseDocument = () => (++entered <= 2 ? underWay : Promise.resolve(answered("soon")));
  const { address } = await start({ maxHeldRequestBytes: 4 * mib, parseDocument });
  const client = clientOf(address);
  const large = { file_url: `data:,${"x".repeat(2 * mib - 100)}` };
  const first = [client.parse(large), client.parse(large)];
  await until(() => entered === 2, 5000, "two are under way");

  await expect(client.parse(large)).rejects.toMatchObject({ code: codes.RESOURCE_EXHAUSTED });
  finish();
  await Promise.all(first);
  await expect(client.parse(large)).resolves.toMatchObject({ content: "soon" });
});

test("a compressed request counts as what it may become, and its limit is that of the bytes it becomes", async () => {
  const { address } = await start({ maxHeldRequestBytes: 4 * mib });
  const session = sessionTo(address);
  const gzip = { "grpc-encoding": "gzip" };
  const fitting = rawCall(session, gzip);
  const bomb = rawCall(session, gzip);
  const request = gzipSync(Buffer.concat(lengthField(1, "data:,compressed")));
  fitting.stream.end(framed(request, { isCompressed: true }));
  bomb.stream.end(framed(gzipSync(Buffer.alloc(48 * mib)), { isCompressed: true }));

  expect(await statusOf(fitting)).toMatchObject({ code: codes.OK });
  expect(await statusOf(bomb)).toMatchObject({ code: codes.RESOURCE_EXHAUSTED, reason: "REQUEST_TOO_LARGE" });

  const halves = Array.from({ length: 5 }, () => rawCall(session, gzip));
  const half = gzipSync(Buffer.alloc(2 * mib)).subarray(0, -10);
  for (const { stream } of halves) stream.write(framed(half, { isCompressed: true, bytes: half.length + 10 }));
  await until(() => halves.filter((call) => call.status()?.reason === "QUEUE_FULL").length >= 3, 5000, "three wait");
});

test.each([
  {
    what: "a message over the limit",
    bytes: framed(Buffer.alloc(8), { bytes: 3 * mib }),
    headers: {},
    reason: "REQUEST_TOO_LARGE",
    text: /PARSER_MAX_REQUEST_MIB/,
  },
  {
    what: "a message that is not there by the deadline",
    bytes: framed(Buffer.alloc(8), { bytes: 100 }),
    headers: { "grpc-timeout": "50m" },
    reason: "CALL_DEADLINE_EXCEEDED",
    text: /later deadline/,
  },
  {
    what: "a message that is not compressed as it says",
    bytes: framed(Buffer.alloc(8), { isCompressed: true }),
    headers: { "grpc-encoding": "gzip" },
    reason: "REQUEST_MALFORMED",
    text: /not compressed/,
  },
  {
    what: "a time-out that is no time",
    bytes: framed(Buffer.alloc(8)),
    headers: { "grpc-timeout": "soon" },
    reason: "REQUEST_MALFORMED",
    text: /grpc-timeout/,
  },
])("$what is refused with a reason of the list, and the call ends", async ({ bytes, headers, reason, text }) => {
  const refusals: unknown[] = [];
  const { address } = await start({ onRefusal: (refusal) => refusals.push(refusal) });
  const call = rawCall(sessionTo(address), headers);
  call.stream.write(bytes);

  expect(await statusOf(call)).toMatchObject({ reason, text: expect.stringMatching(text) });
  expect(call.status()?.text).toMatch(new RegExp(`^${reason}: `));
  await until(call.isClosed, 2000, "the call is closed, though its caller has not ended it");
  expect(refusals).toEqual([{ method: documents, reason }]);
});

test("calls without the token are told of, those that were handled are not", async () => {
  const refusals: unknown[] = [];
  const token = new Secret("right");
  const { address } = await start({ token, onRefusal: (refusal) => refusals.push(refusal) });
  await expect(clientOf(address).parse({ file_url: "data:,a" })).rejects.toMatchObject({ code: codes.UNAUTHENTICATED });
  expect(refusals).toEqual([{ method: documents, reason: "TOKEN_MISSING" }]);

  const open = await start({ onRefusal: (refusal) => refusals.push(refusal) });
  await clientOf(open.address).parse({ file_url: "data:,a" });
  expect(refusals.length).toBe(1);
});

test("an answer over the limit is refused with a reason of the list", async () => {
  const { address } = await start({ parseDocument: async () => answered("x".repeat(5 * mib)) });
  await expect(clientOf(address).parse({ file_url: "data:,a" })).rejects.toMatchObject({
    code: codes.RESOURCE_EXHAUSTED,
    details: expect.stringMatching(/^OUTPUT_TOO_LARGE: /),
  });
});

test("methods that take no document take no large request", async () => {
  const { address } = await start();
  const call = rawCall(sessionTo(address), { path: "/grpc.health.v1.Health/Check" });
  call.stream.write(framed(Buffer.alloc(100_000), { bytes: mib }));
  expect(await statusOf(call)).toMatchObject({ reason: "REQUEST_TOO_LARGE" });
});

test("one connection has no more calls open than there are places and a few", async () => {
  const { address } = await start({ maxInside: 3 });
  const session = sessionTo(address);
  await new Promise((resolve) => session.once("remoteSettings", resolve));
  expect(session.remoteSettings.maxConcurrentStreams).toBe(3 + 32);
});

test("connections beyond the limit are closed at once", async () => {
  const { address } = await start({ maxConnections: 2 });
  const port = Number(address.split(":")[1]);
  const sockets = Array.from({ length: 4 }, () => connectSocket(port, "127.0.0.1").on("error", () => {}));
  closers.push(() => sockets.map((socket) => socket.destroy()));
  for (const socket of sockets) socket.resume();
  await until(() => sockets.some((socket) => socket.closed), 5000, "one is closed");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sockets.filter((socket) => socket.closed).length).toBe(2);
});

test("a caller who does not take its answer gives its place back in time", async () => {
  const parseDocument = async (): Promise<ParseOutcome> => answered("x".repeat(3 * mib));
  const { address, admission } = await start({ sendTimeoutMs: 300, parseDocument });
  const call = rawCall(sessionTo(address));
  call.stream.pause();
  call.stream.end(framed(Buffer.concat(lengthField(1, "data:,a"))));

  await until(() => admission.inside === 1, 5000, "the document is inside");
  const startedAtMs = performance.now();
  await until(() => admission.inside === 0, 5000, "the place is free");
  expect(performance.now() - startedAtMs).toBeGreaterThan(100);
});

test("draining turns away requests that are still arriving and does not wait for them", async () => {
  const { address, server } = await start();
  const session = sessionTo(address);
  const call = rawCall(session);
  call.stream.write(framed(Buffer.alloc(100), { bytes: 200 }));
  await clientOf(address).parse({ file_url: "data:,meanwhile" });

  const startedAtMs = performance.now();
  await server.drain(20_000);

  expect(performance.now() - startedAtMs).toBeLessThan(15_000);
  expect(await statusOf(call)).toMatchObject({ code: codes.UNAVAILABLE, reason: "SHUTTING_DOWN" });
});

test("calls beyond those that may be open are refused, and their number falls as calls end", async () => {
  const { address } = await start({ maxInside: 1 });
  const sessions = Array.from({ length: 16 }, () => sessionTo(address));
  const calls = sessions.flatMap((session) => Array.from({ length: 33 }, () => rawCall(session)));
  const refused = (): RawCall[] => calls.filter((call) => call.status()?.reason === "QUEUE_FULL");

  await until(() => refused().length === calls.length - 514, 5000, "all but 514 are refused");
  for (const call of calls) call.stream.close(constants.NGHTTP2_CANCEL);
  await until(() => calls.every((call) => call.isClosed()), 5000, "all are gone");
  await new Promise((resolve) => setTimeout(resolve, 200));
  await expect(clientOf(address).parse({ file_url: "data:,a" })).resolves.toMatchObject({ success: true });
});
