import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startHttpFixture } from "./http-fixture.ts";
import { createSetupCalls } from "./s3-fixture-client.ts";
import { signS3Request, type SigningKey } from "./s3-fixture-signature.ts";
import type { S3Fixture } from "./s3-fixture.ts";

export interface FakeS3 extends S3Fixture {
  /** `METHOD /path range` of every request. */
  readonly calls: readonly string[];
  /** Called before each GET of an object; what it returns is done to the answer. */
  onGet: (() => Fault | undefined) | undefined;
  /** Buckets that exist, but not for this key. */
  readonly forbidden: Set<string>;
}

export interface Fault {
  /** The connection breaks after this many bytes of the body. */
  readonly breakAfterBytes?: number;
  /** The body comes byte by byte, at this interval. */
  readonly dripIntervalMs?: number;
  /** This status instead of the object, with this code in the XML. */
  readonly status?: number;
  readonly code?: string;
}

interface StoredObject {
  readonly body: Buffer;
  readonly contentType: string;
  readonly version: string;
}

const key: SigningKey = { accessKeyId: "AKIDFAKE", secretAccessKey: "secret/of+fake", region: "us-east-1" };

/**
 * An S3 server of one process: path-style GET, HEAD and PUT, ranges, If-Match, errors in XML, and every signature
 * checked. It passes the contract that a real server passes.
 */
export async function startFakeS3(): Promise<FakeS3> {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const calls: string[] = [];
  const server = await startHttpFixture((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trim());
    void readBody(request).then((body) => answer({ request, response, body, buckets, fake }));
  });
  const { putObject, createBucket } = createSetupCalls(server.origin, key);
  const dispose = () => server[Symbol.asyncDispose]();
  const state: Pick<FakeS3, "onGet"> = { onGet: undefined };
  const parts = { endpoint: server.origin, ...key, calls, forbidden: new Set<string>(), putObject, createBucket };
  const fake: FakeS3 = Object.assign(state, parts, { [Symbol.asyncDispose]: dispose });
  return fake;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly buckets: Map<string, Map<string, StoredObject>>;
  readonly fake: FakeS3;
}

function answer(exchange: Exchange): void {
  const { request, response, buckets, fake } = exchange;
  const [, bucket = "", name = ""] = /^\/([^/?]*)(?:\/([^?]*))?/.exec(request.url ?? "") ?? [];
  const objects = buckets.get(bucket);
  const refusal = checkSignature(request);
  if (refusal !== undefined) sendError(response, 403, refusal);
  else if (request.method === "PUT" && name === "") response.end(buckets.set(bucket, new Map()) && "");
  else if (objects === undefined) sendError(response, 404, "NoSuchBucket");
  else if (fake.forbidden.has(bucket)) sendError(response, 403, "AccessDenied");
  else if (request.method === "PUT") storeObject(exchange, objects, decodeURIComponent(name));
  else sendObject(exchange, objects.get(decodeURIComponent(name)));
}

function storeObject({ request, response, body }: Exchange, objects: Map<string, StoredObject>, name: string): void {
  const contentType = request.headers["content-type"] ?? "binary/octet-stream";
  objects.set(name, { body, contentType, version: `"${createHash("md5").update(body).digest("hex")}"` });
  response.end();
}

function sendObject({ request, response, fake }: Exchange, object: StoredObject | undefined): void {
  if (object === undefined) return sendError(response, 404, "NoSuchKey");
  const fault = request.method === "GET" ? (fake.onGet?.() ?? {}) : {};
  if (fault.status !== undefined) return sendError(response, fault.status, fault.code ?? "");
  const match = request.headers["if-match"] ?? object.version;
  if (match !== object.version) return sendError(response, 412, "PreconditionFailed");
  const part = findPart(object.body, request.headers.range);
  if (part === undefined) return sendError(response, 416, "InvalidRange");
  const { contentType, version: etag } = object;
  const headers = { "content-type": contentType, "content-length": part.bytes.length, etag, "accept-ranges": "bytes" };
  response.writeHead(part.status, { ...headers, ...part.headers });
  sendBody(response, request.method === "HEAD" ? Buffer.alloc(0) : part.bytes, fault);
}

function sendBody(response: ServerResponse, body: Buffer, { breakAfterBytes, dripIntervalMs }: Fault): void {
  if (breakAfterBytes !== undefined) {
    response.write(body.subarray(0, breakAfterBytes), () => setTimeout(() => response.destroy(), 50));
  } else if (dripIntervalMs === undefined) {
    response.end(body);
  } else {
    const timer = setInterval(() => response.write("x"), dripIntervalMs);
    response.once("close", () => clearInterval(timer));
  }
}

function findPart(body: Buffer, header: string | undefined) {
  const [, from, to = ""] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === undefined) return { status: 200, bytes: body, headers: {} };
  const first = Number(from);
  const last = Math.min(to === "" ? Infinity : Number(to), body.length - 1);
  if (first > last) return undefined;
  const headers = { "content-range": `bytes ${first}-${last}/${body.length}` };
  return { status: 206, bytes: body.subarray(first, last + 1), headers };
}

/** The error code of a request that is not signed as it must be. */
function checkSignature({ method = "", url = "", headers }: IncomingMessage): string | undefined {
  const match = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/[^,]+, ?SignedHeaders=([^,]+), ?Signature=/.exec(
    headers.authorization ?? "",
  );
  const [, accessKeyId = "", names = ""] = match ?? [];
  if (match === null) return "AccessDenied";
  if (accessKeyId !== key.accessKeyId) return "InvalidAccessKeyId";
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const expected = signS3Request({ method, url, headers: texts }, names.split(";"), key);
  return expected.replaceAll(" ", "") === headers.authorization?.replaceAll(" ", "")
    ? undefined
    : "SignatureDoesNotMatch";
}

function sendError(response: ServerResponse, status: number, code: string): void {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(xml);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
