import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { AppError } from "@attune/service-kit/app-error.ts";
import { startHttpFixture, startRawFixture } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import { createOutboundHttp } from "./guarded-http.ts";
import type { OutboundRequest, StreamingHttp, StreamRequest } from "./outbound-http.ts";
import { defaultOutboundSettings, type OutboundSettings } from "./outbound-settings.ts";

const fast: OutboundSettings = {
  ...defaultOutboundSettings,
  headersTimeoutMs: 1_500,
  bodyIdleTimeoutMs: 1_500,
  minRateBytesPerSecond: 1_024,
  minRateWindowMs: 600,
};

interface Case {
  readonly settings?: Partial<OutboundSettings>;
  readonly request?: Partial<OutboundRequest>;
  readonly signal?: AbortSignal;
  /** Read as a stream, as files are. */
  readonly isFile?: boolean;
}

async function fetchFrom(url: string, { settings, request, signal, isFile }: Case = {}): Promise<string> {
  const http = createOutboundHttp({ ...fast, allowedHosts: [new URL(url).host], ...settings });
  try {
    const wanted = { url, timeoutMs: 8_000, maxBytes: 100_000, maxRedirects: 5, ...request };
    if (isFile) return await drain(http, wanted);
    const { body } = await http.request(wanted, signal ?? new AbortController().signal);
    return `read ${body.length}`;
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  } finally {
    await http.close();
  }
}

async function drain(http: StreamingHttp, request: StreamRequest): Promise<string> {
  const { body } = await http.open(request, new AbortController().signal);
  let sizeBytes = 0;
  for await (const chunk of body) sizeBytes += chunk.length;
  return `read ${sizeBytes}`;
}

async function fetchAnswer(answer: (request: IncomingMessage, response: ServerResponse) => void, wanted: Case = {}) {
  await using server = await startHttpFixture(answer);
  return await fetchFrom(`${server.origin}/file`, wanted);
}

async function fetchRaw(answer: (socket: Socket) => void, wanted: Case = {}) {
  await using server = await startRawFixture(answer);
  return await fetchFrom(`${server.origin}/file`, wanted);
}

describe("redirects", () => {
  it("S38 end a loop", async () => {
    expect(
      await fetchAnswer((request, response) => response.writeHead(302, { location: request.url ?? "" }).end()),
    ).toBe("FETCH_FAILED");
  });

  it("are followed five times and no more", async () => {
    const chain = (length: number) => (request: IncomingMessage, response: ServerResponse) => {
      const step = Number(/\d+/.exec(request.url ?? "")?.[0] ?? 0);
      if (step < length) response.writeHead(302, { location: `/${step + 1}` }).end();
      else response.end("end");
    };
    expect(await fetchAnswer(chain(5))).toBe("read 3");
    expect(await fetchAnswer(chain(6))).toBe("FETCH_FAILED");
  });

  it("S40 with two targets, or none, lead nowhere", async () => {
    expect(await fetchRaw((socket) => socket.end("HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\n\r\n"))).toBe(
      "FETCH_FAILED",
    );
    expect(await fetchRaw((socket) => socket.end("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"))).toBe(
      "FETCH_FAILED",
    );
  });

  it("S41 keep the method with 307, on the same server only", async () => {
    await using other = await startHttpFixture((_request, response) => response.end("other"));
    await using server = await startHttpFixture((request, response) => {
      if (request.url === "/same") response.writeHead(307, { location: "/kept" }).end();
      else if (request.url === "/other") response.writeHead(307, { location: `${other.origin}/stolen` }).end();
      else response.end("ok");
    });
    const request = { method: "POST", body: "the document" } as const;
    const allowedHosts = ["127.0.0.1"];
    expect(await fetchFrom(`${server.origin}/same`, { request, settings: { allowedHosts } })).toBe("read 2");
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["POST /same", "POST /kept"]);
    expect(await fetchFrom(`${server.origin}/other`, { request, settings: { allowedHosts } })).toBe("FETCH_REFUSED");
    expect(other.requests).toEqual([]);
  });

  it("S42 carry no header of the caller to another server", async () => {
    await using other = await startHttpFixture((_request, response) => response.end("other"));
    await using server = await startHttpFixture((request, response) => {
      response.writeHead(302, { location: request.url === "/file" ? "/again" : `${other.origin}/` }).end();
    });
    const headers = { Authorization: "Bearer s", Cookie: "c=1", "X-Api-Key": "k" };
    const settings = { allowedHosts: ["127.0.0.1"] };
    expect(await fetchFrom(`${server.origin}/file`, { request: { headers }, settings })).toBe("read 5");
    expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer s", "x-api-key": "k" });
    expect(Object.keys(other.requests[0]?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  it("are handed over when they are not to be followed", async () => {
    await using server = await startHttpFixture((_request, response) =>
      response.writeHead(302, { location: "/" }).end(),
    );
    const http = createOutboundHttp({ ...fast, allowedHosts: ["127.0.0.1"] });
    const request = { url: server.origin, timeoutMs: 2_000, maxBytes: 10 };
    expect((await http.request(request, new AbortController().signal)).status).toBe(302);
    await http.close();
  });
});

describe("bodies", () => {
  it("S43 without end are cut at the limit", async () => {
    const endless = (_request: IncomingMessage, response: ServerResponse) => {
      const timer = setInterval(() => response.write(Buffer.alloc(65_536)), 1);
      response.once("close", () => clearInterval(timer));
    };
    expect(await fetchAnswer(endless)).toBe("FILE_TOO_LARGE");
  });

  it("S44 that declare too much are refused at once", async () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 99000000000000\r\n\r\n";
    expect(await fetchRaw((socket) => socket.write(head))).toBe("FILE_TOO_LARGE");
  });

  it.each([
    ["fewer bytes than declared", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"],
    ["a chunk that breaks off", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"],
    ["no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"],
    ["a length beside chunks", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["no HTTP", "220 mail.example ESMTP\r\n"],
    ["nothing", ""],
  ])("S45 with %s fail", async (_name, answer) => {
    expect(await fetchRaw((socket) => socket.end(answer))).toBe("FETCH_FAILED");
  });

  it("may end with the connection when nothing else is declared", async () => {
    expect(await fetchRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nhello"))).toBe("read 5");
  });

  it.each(["gzip", "br", "deflate, gzip", "x-gzip", "unknown"])("S46 encoded as %s are refused", async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const answer = (_request: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200, { "content-encoding": encoding }).end(bomb);
    expect(await fetchAnswer(answer)).toBe("FETCH_FAILED");
  });

  it("S46 encoded for the transfer are refused", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    expect(await fetchRaw((socket) => socket.end(head))).toBe("FETCH_FAILED");
  });

  it("S43 that hide an endless extension of a chunk are ended", async () => {
    const flood = (socket: Socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=");
      const timer = setInterval(() => socket.write("x".repeat(10_000)), 5);
      socket.once("close", () => clearInterval(timer));
    };
    expect(["FETCH_TIMEOUT", "FETCH_FAILED"]).toContain(await fetchRaw(flood, { isFile: true }));
  });

  it("are asked for unencoded, whatever the caller says", async () => {
    await using server = await startHttpFixture((_request, response) => response.end("ok"));
    await fetchFrom(server.origin, { request: { headers: { "Accept-Encoding": "gzip" } } });
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  it("S47 that drip are ended, although they are never silent", async () => {
    const drip = (_request: IncomingMessage, response: ServerResponse) => {
      const timer = setInterval(() => response.write("x"), 50);
      response.once("close", () => clearInterval(timer));
    };
    const startedAtMs = performance.now();
    expect(await fetchAnswer(drip, { isFile: true })).toBe("FETCH_TIMEOUT");
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });

  it("that fall silent are ended", async () => {
    expect(await fetchAnswer((_request, response) => response.write("x"), { isFile: true })).toBe("FETCH_TIMEOUT");
  });

  it("end at the deadline, however fast they are", async () => {
    const steady = (_request: IncomingMessage, response: ServerResponse) => {
      const timer = setInterval(() => response.write(Buffer.alloc(1_000)), 20);
      response.once("close", () => clearInterval(timer));
    };
    expect(await fetchAnswer(steady, { request: { timeoutMs: 500, maxBytes: 1e9 } })).toBe("FETCH_TIMEOUT");
  });

  it("of a slow reader do not count as slow", async () => {
    await using server = await startHttpFixture((_request, response) => response.end(Buffer.alloc(200_000)));
    const http = createOutboundHttp({
      ...fast,
      allowedHosts: [new URL(server.origin).host],
      minRateBytesPerSecond: 1e9,
    });
    const stream = await http.open({ url: server.origin, timeoutMs: 8_000 }, new AbortController().signal);
    let sizeBytes = 0;
    for await (const chunk of stream.body) {
      sizeBytes += chunk.length;
      await sleep(100);
    }
    expect(sizeBytes).toBe(200_000);
    await http.close();
  });

  it("that are left before their start close the connection", async () => {
    const closed = Promise.withResolvers<string>();
    await using server = await startHttpFixture((_request, response) => {
      response.once("close", () => closed.resolve("closed"));
      response.write("x");
    });
    const http = createOutboundHttp({ ...fast, allowedHosts: [new URL(server.origin).host] });
    const stream = await http.open({ url: server.origin, timeoutMs: 8_000 }, new AbortController().signal);
    await stream.body[Symbol.asyncIterator]().return?.();
    expect(await Promise.race([closed.promise, sleep(1_000)])).toBe("closed");
    await http.close();
  });
});

describe("answers", () => {
  it("S48 without headers end in time", async () => {
    expect(await fetchRaw(() => {}, { isFile: true })).toBe("FETCH_TIMEOUT");
    expect(await fetchRaw(() => {}, { request: { timeoutMs: 300 } })).toBe("FETCH_TIMEOUT");
  });

  it("S49 with 100 KiB of headers are refused", async () => {
    const head = `HTTP/1.1 200 OK\r\n${`x-pad: ${"a".repeat(1_000)}\r\n`.repeat(100)}content-length: 2\r\n\r\nok`;
    expect(await fetchRaw((socket) => socket.end(head))).toBe("FETCH_FAILED");
    const small = `HTTP/1.1 200 OK\r\n${`x-pad: ${"a".repeat(1_000)}\r\n`.repeat(50)}content-length: 2\r\n\r\nok`;
    expect(await fetchRaw((socket) => socket.end(small))).toBe("read 2");
  });

  it("S50 with 200 interim answers are refused, a few are not", async () => {
    const answer = (count: number) => (socket: Socket) =>
      socket.end(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(count)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`);
    expect(await fetchRaw(answer(200))).toBe("FETCH_FAILED");
    expect(await fetchRaw(answer(3))).toBe("read 2");
  });

  it("S50 with interim answers that never end, are ended", async () => {
    const flood = (socket: Socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 5);
      socket.once("close", () => clearInterval(timer));
    };
    expect(await fetchRaw(flood)).toBe("FETCH_FAILED");
  });

  it("that switch to another protocol are refused", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n";
    expect(await fetchRaw((socket) => socket.write(head))).toBe("FETCH_FAILED");
  });

  it("stop at once when the caller aborts", async () => {
    const reason = new AppError("CALL_CANCELLED");
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 100);
    const startedAtMs = performance.now();
    expect(await fetchAnswer((_request, response) => response.write("x"), { signal: abort.signal })).toBe(
      "CALL_CANCELLED",
    );
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  });
});
