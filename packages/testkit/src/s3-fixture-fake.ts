import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { startHttpFixture } from "./http-fixture.ts";
import { createSetupCalls } from "./s3-fixture-client.ts";
import {
  answerError,
  createFakeBucket,
  type FakeAnswer,
  type FakeBucket,
  type FakeRequest,
  md5Of,
} from "./s3-fixture-fake-bucket.ts";
import { listObjects, listUploads } from "./s3-fixture-fake-listing.ts";
import { answerUpload, createUpload } from "./s3-fixture-fake-multipart.ts";
import { copyObject, findCopiedBytes, getObject, putObject } from "./s3-fixture-fake-objects.ts";
import { findSignatureFault, type SigningKey } from "./s3-fixture-signature.ts";
import type { S3Fixture } from "./s3-fixture.ts";

export interface FakeS3 extends S3Fixture {
  /** `METHOD /path range` of every request. */
  readonly calls: readonly string[];
  /** Bytes of bodies that have arrived. */
  readonly receivedBytes: number;
  /** Called before each GET of an object; what it returns is done to the answer. */
  onGet: (() => Fault | undefined) | undefined;
  /** Called with `METHOD /path?query` of each request that is rightly signed, before it is carried out. */
  onRequest: ((call: string) => Fault | undefined) | undefined;
  /** Buckets that exist, but not for this key. */
  readonly forbidden: Set<string>;
  /** What lies in it, begun uploads included. */
  readonly buckets: ReadonlyMap<string, FakeBucket>;
}

export interface Fault {
  /** The connection breaks after this many bytes of the body. */
  readonly breakAfterBytes?: number;
  /** The body comes byte by byte, at this interval. */
  readonly dripIntervalMs?: number;
  /** This status instead of the object, with this code in the XML. */
  readonly status?: number;
  readonly code?: string;
  /** The request is carried out, and the connection broken before the answer. */
  readonly isAnswerLost?: boolean;
  /** The request is answered as if it had been carried out, and is not. */
  readonly isLie?: boolean;
}

const key: SigningKey = { accessKeyId: "AKIDFAKE", secretAccessKey: "secret/of+fake", region: "us-east-1" };

/**
 * An S3 server of one process: path-style calls for objects, ranges, copies, listings and uploads in parts, links, errors in
 * XML; every signature and every checksum is checked. It passes the contracts that a real server passes.
 */
export async function startFakeS3(): Promise<FakeS3> {
  const buckets = new Map<string, FakeBucket>();
  const calls: string[] = [];
  const server = await startHttpFixture((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.range ?? ""}`.trim());
    const count = (bytes: number) => void (state.receivedBytes += bytes);
    readBody(request, count).then(
      (body) => answer({ request, response, body, buckets, fake }),
      () => response.destroy(),
    );
  });
  const { putObject: put, createBucket } = createSetupCalls(server.origin, key);
  const dispose = () => server[Symbol.asyncDispose]();
  const state: Pick<FakeS3, "onGet" | "onRequest"> & { receivedBytes: number } = {
    onGet: undefined,
    onRequest: undefined,
    receivedBytes: 0,
  };
  const parts = { endpoint: server.origin, ...key, calls, buckets, forbidden: new Set<string>(), createBucket };
  const fake: FakeS3 = Object.assign(state, parts, { putObject: put, [Symbol.asyncDispose]: dispose });
  return fake;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly buckets: Map<string, FakeBucket>;
  readonly fake: FakeS3;
}

function answer(exchange: Exchange): void {
  const { request, response, buckets, fake } = exchange;
  const { method = "", url = "" } = request;
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const refusal = findSignatureFault({ method, url, headers }, key) ?? findBodyFault(headers, exchange.body);
  if (refusal !== undefined) return send(exchange, answerError(statusOf(refusal), refusal));
  const address = parseAddress(url);
  const { bucketName, name } = address;
  if (method === "PUT" && name === "") buckets.set(bucketName, buckets.get(bucketName) ?? createFakeBucket());
  const bucket = buckets.get(bucketName);
  if (bucket === undefined) return send(exchange, answerError(404, "NoSuchBucket"));
  if (fake.forbidden.has(bucketName)) return send(exchange, answerError(403, "AccessDenied"));
  const asked: FakeRequest = { method, headers, body: exchange.body, bucket, ...address };
  const fault = findFault(fake, asked, url);
  const done = findRefusal(fault) ?? carryOut(asked, buckets);
  if (fault.isAnswerLost === true) response.destroy();
  else send(exchange, done, fault);
}

function findRefusal({ status, code = "", isLie = false }: Fault): FakeAnswer | undefined {
  if (status !== undefined) return answerError(status, code);
  return isLie ? { status: 200, headers: { etag: '"0"' } } : undefined;
}

function parseAddress(url: string) {
  const [path = "", search = ""] = url.split("?");
  const [, bucketName = "", escapedName = ""] = /^\/([^/]*)(?:\/(.*))?$/.exec(path) ?? [];
  return { bucketName, name: decodeURIComponent(escapedName), query: new URLSearchParams(search) };
}

function findFault(fake: FakeS3, { method, name, query, bucket }: FakeRequest, url: string): Fault {
  const isObjectGet = method === "GET" && bucket.objects.has(name) && !query.has("uploadId");
  return { ...(isObjectGet && fake.onGet?.()), ...fake.onRequest?.(`${method} ${url}`) };
}

function carryOut(asked: FakeRequest, buckets: ReadonlyMap<string, FakeBucket>): FakeAnswer {
  const { method, name, query, headers, bucket } = asked;
  const isCopy = "x-amz-copy-source" in headers;
  if (name === "") return answerBucket(asked);
  if (method === "POST" && query.has("uploads")) return createUpload(asked);
  if (query.has("uploadId")) return answerUpload(asked, isCopy ? findCopiedBytes(asked, buckets) : undefined);
  if (method === "PUT") return isCopy ? copyObject(asked, buckets) : putObject(asked);
  if (method === "GET" || method === "HEAD") return getObject(asked);
  if (method !== "DELETE") return answerError(501, "NotImplemented");
  bucket.objects.delete(name);
  return { status: 204 };
}

function answerBucket(asked: FakeRequest): FakeAnswer {
  const { method, query } = asked;
  if (method === "HEAD" || method === "PUT") return { status: 200 };
  if (method === "GET") return query.has("uploads") ? listUploads(asked) : listObjects(asked);
  // As Swift does: of several objects at once it wants a Content-MD5.
  return answerError(400, "InvalidRequest");
}

/** The code of a body that is not what its headers say. */
function findBodyFault(headers: FakeRequest["headers"], body: Buffer): string | undefined {
  const declared = headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD";
  if (declared.startsWith("STREAMING-") || headers["content-encoding"]?.includes("aws-chunked"))
    return "NotImplemented";
  if (declared !== "UNSIGNED-PAYLOAD" && declared !== createHash("sha256").update(body).digest("hex")) {
    return "XAmzContentSHA256Mismatch";
  }
  const md5 = headers["content-md5"];
  return md5 === undefined || md5 === md5Of(body).toString("base64") ? undefined : "BadDigest";
}

function statusOf(code: string): number {
  if (code === "NotImplemented") return 501;
  return code === "BadDigest" || code === "XAmzContentSHA256Mismatch" ? 400 : 403;
}

function send({ request, response }: Exchange, { status, headers, body = "" }: FakeAnswer, fault: Fault = {}): void {
  response.writeHead(status, { ...headers });
  if (request.method === "HEAD") response.end();
  else sendBody(response, body, fault);
}

function sendBody(response: ServerResponse, body: Buffer | string, { breakAfterBytes, dripIntervalMs }: Fault): void {
  if (breakAfterBytes !== undefined) {
    response.write(body.slice(0, breakAfterBytes), () => setTimeout(() => response.destroy(), 50));
  } else if (dripIntervalMs === undefined) {
    response.end(body);
  } else {
    const timer = setInterval(() => response.write("x"), dripIntervalMs);
    response.once("close", () => clearInterval(timer));
  }
}

async function readBody(request: IncomingMessage, count: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    count(chunk.length);
  }
  return Buffer.concat(chunks);
}
