import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpFixture, startHttpFixture } from "./http-fixture.ts";

/**
 * A host of large files, such as an object store or a CDN: ETag, Range and If-Range as RFC 9110 has them, and the ways in
 * which such hosts and the networks before them fail.
 */
export interface FakeFileHost extends HttpFixture {
  /** Address of a file. */
  readonly urlOf: (path: string) => string;
  /** Gives a path a content, another one than before if it had one. */
  put(path: string, bytes: Uint8Array): void;
  /** The next `times` requests for a path get this fault (default 1); faults wait in line. */
  failNext(path: string, fault: FileFault, times?: number): void;
}

export type FileFault =
  /** An answer without the file. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection breaks after so many bytes of the body. */
  | { readonly type: "cut"; readonly after: number }
  /** Nothing comes any more after so many bytes of the body, and the connection stays. */
  | { readonly type: "stall"; readonly after: number }
  /** The body ends properly after so many bytes, without a length beforehand. */
  | { readonly type: "short"; readonly bytes: number }
  /** The body has bytes more than it should, without a length beforehand. */
  | { readonly type: "long"; readonly bytes: number }
  /** One bit of this byte of the file is wrong. */
  | { readonly type: "corrupt"; readonly at: number }
  /** The whole file comes, whatever part was asked for. */
  | { readonly type: "no_range" }
  /** Another part comes than was asked for. */
  | { readonly type: "wrong_range" }
  | { readonly type: "compressed" };

interface HostedFile {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface HostState {
  readonly files: Map<string, HostedFile>;
  readonly faults: Map<string, FileFault[]>;
}

export interface FakeFileHostOptions {
  /** Loopback address to listen on. */
  readonly host?: string;
  /** Whether files have an ETag. */
  readonly hasEtags?: boolean;
}

export async function startFakeFileHost({ host, hasEtags = true }: FakeFileHostOptions = {}): Promise<FakeFileHost> {
  const state: HostState = { files: new Map(), faults: new Map() };
  const fixture = await startHttpFixture((request, response) => answer(state, request, response), {
    ...(host !== undefined && { host }),
  });
  return Object.assign(fixture, {
    urlOf: (path: string) => `${fixture.origin}/${path}`,
    put: (path: string, bytes: Uint8Array) => {
      const etag = hasEtags ? `"${createHash("md5").update(bytes).digest("hex")}"` : "";
      state.files.set(path, { bytes: Buffer.from(bytes), etag });
    },
    failNext: (path: string, fault: FileFault, times = 1) => {
      const waiting = state.faults.get(path) ?? [];
      state.faults.set(path, [...waiting, ...Array.from({ length: times }, () => fault)]);
    },
  });
}

function answer({ files, faults }: HostState, request: IncomingMessage, response: ServerResponse): void {
  const path = decodeURIComponent((request.url ?? "").split("?")[0]?.slice(1) ?? "");
  const file = files.get(path);
  const fault = faults.get(path)?.shift();
  if (fault?.type === "status") return void response.writeHead(fault.status, fault.headers ?? {}).end("refused");
  if (file === undefined) return void response.writeHead(404).end("no such file");
  const part = choosePart(file, request, fault);
  if (part === undefined) {
    return void response.writeHead(416, { "content-range": `bytes */${file.bytes.length}` }).end();
  }
  send({ ...part, file, fault }, request, response);
}

interface Part {
  readonly start: number;
  readonly status: 200 | 206;
}

function choosePart({ bytes, etag }: HostedFile, { headers }: IncomingMessage, fault?: FileFault): Part | undefined {
  const asked = /^bytes=(\d+)-$/.exec(headers.range ?? "");
  const condition = headers["if-range"];
  const isSame = condition === undefined || condition === etag;
  if (asked === null || !isSame || fault?.type === "no_range") return { start: 0, status: 200 };
  const start = Number(asked[1]);
  if (start >= bytes.length) return undefined;
  return { start: fault?.type === "wrong_range" ? Math.max(0, start - 1) : start, status: 206 };
}

interface Sending extends Part {
  readonly file: HostedFile;
  readonly fault: FileFault | undefined;
}

function send({ file, start, status, fault }: Sending, request: IncomingMessage, response: ServerResponse): void {
  const body = spoil(file.bytes.subarray(start), start, fault);
  response.writeHead(status, toHeaders({ file, start, status, fault }, body));
  if (request.method === "HEAD") return void response.end();
  if (fault?.type !== "cut" && fault?.type !== "stall") return void response.end(body);
  response.write(body.subarray(0, fault.after), () => {
    // A little later, as a client may forget what it has not read when the connection is gone.
    if (fault.type === "cut") setTimeout(() => response.destroy(), 50);
  });
}

function toHeaders({ file, start, status, fault }: Sending, body: Buffer): Record<string, string> {
  const isUnsized = fault?.type === "short" || fault?.type === "long";
  return {
    "accept-ranges": "bytes",
    ...(file.etag !== "" && { etag: file.etag }),
    ...(!isUnsized && { "content-length": String(body.length) }),
    ...(status === 206 && { "content-range": `bytes ${start}-${file.bytes.length - 1}/${file.bytes.length}` }),
    ...(fault?.type === "compressed" && { "content-encoding": "gzip" }),
  };
}

function spoil(bytes: Buffer, start: number, fault: FileFault | undefined): Buffer {
  if (fault?.type === "short") return bytes.subarray(0, fault.bytes);
  if (fault?.type === "long") return Buffer.concat([bytes, Buffer.alloc(fault.bytes, 1)]);
  if (fault?.type !== "corrupt") return bytes;
  const copy = Buffer.from(bytes);
  const at = fault.at - start;
  if (at >= 0 && at < copy.length) copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
