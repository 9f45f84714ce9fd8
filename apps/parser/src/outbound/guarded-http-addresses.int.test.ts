import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import { findClosedPort, type HttpFixture, startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { type DnsFixture, startDnsFixture } from "@attune/testkit/http-fixture-dns.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutboundHttp } from "./guarded-http.ts";
import type { StreamingHttp } from "./outbound-http.ts";
import { defaultOutboundSettings } from "./outbound-settings.ts";

// 127.0.0.2 stands for the public internet: it is opened, port by port. On 127.0.0.1 lies what must never be reached, at the
// same port, so that nothing but the address tells them apart.
const secret = "the secret of the internal server";
let publicServer: HttpFixture;
let internalServer: HttpFixture;
let dns: DnsFixture;
let http: StreamingHttp;
let rebinds = 0;

beforeAll(async () => {
  publicServer = await startHttpFixture(answerPublic, { host: "127.0.0.2" });
  internalServer = await startHttpFixture((_request, response) => response.end(secret), { port: publicServer.port });
  dns = await startDnsFixture((name, family) => (family === 4 ? ipv4Zone(name) : ipv6Zone(name)));
  http = createOutboundHttp({
    ...defaultOutboundSettings,
    allowedHosts: [`127.0.0.2:${publicServer.port}`, `127.0.0.3:${publicServer.port}`],
    dnsServers: [dns.server],
    resolveTimeoutMs: 2_000,
  });
});

afterAll(async () => {
  await http.close();
  await Promise.all([publicServer, internalServer, dns].map((fixture) => fixture[Symbol.asyncDispose]()));
});

function ipv4Zone(name: string): string[] {
  if (name.startsWith("public")) return ["127.0.0.2"];
  if (name.startsWith("private")) return ["127.0.0.1"];
  if (name.startsWith("mixed")) return ["127.0.0.2", "127.0.0.1"];
  if (name.startsWith("first-down")) return ["127.0.0.3", "127.0.0.2"];
  if (name.startsWith("metadata")) return ["169.254.169.254"];
  if (name.startsWith("rebinding")) return rebinds++ % 2 === 0 ? ["127.0.0.2"] : ["127.0.0.1"];
  if (name.startsWith("late")) return rebinds++ === 0 ? ["127.0.0.2"] : ["127.0.0.1"];
  if (name.startsWith("v6")) return ["127.0.0.2"];
  return [];
}

function ipv6Zone(name: string): string[] {
  if (name.startsWith("v6-mapped")) return ["::ffff:127.0.0.1"];
  if (name.startsWith("v6-nat64")) return ["64:ff9b::7f00:1"];
  if (name.startsWith("v6-loopback")) return ["::1"];
  return [];
}

// `/to?URL` redirects there with the status of `?status=`.
function answerPublic(request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const status = /^\/(30\d)/.exec(path)?.[1];
  if (status === undefined) response.end("public");
  else response.writeHead(Number(status), { location: decodeURIComponent(query) }).end();
}

async function fetchText(url: string, more: Partial<Parameters<StreamingHttp["request"]>[0]> = {}): Promise<string> {
  const request = { url, timeoutMs: 5_000, maxBytes: 1_000, maxRedirects: 5, ...more };
  try {
    const { body } = await http.request(request, new AbortController().signal);
    return Buffer.from(body).toString();
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

const at = (host: string, path = "/"): string => `http://${host}:${publicServer.port}${path}`;
const redirectTo = (target: string, status = 302): string =>
  at("public.test", `/${status}?${encodeURIComponent(target)}`);

describe("the guard", () => {
  it("reaches what is open, by address and by name", async () => {
    expect(await fetchText(at("127.0.0.2"))).toBe("public");
    expect(await fetchText(at("public.test"))).toBe("public");
    expect(await fetchText(at("public.test."))).toBe("public");
  });

  it("tries the next judged address when the first does not answer", async () => {
    expect(await fetchText(at("first-down.test"))).toBe("public");
  });

  it("refuses the same URL when the operator has not opened it", async () => {
    const closed = createOutboundHttp({ ...defaultOutboundSettings, dnsServers: [dns.server] });
    const signal = new AbortController().signal;
    for (const url of [at("127.0.0.2"), at("public.test")]) {
      const request = closed.request({ url, timeoutMs: 5_000, maxBytes: 1_000 }, signal);
      await expect(request).rejects.toMatchObject({ reason: "FETCH_REFUSED" });
    }
    await closed.close();
  });

  it.each([
    ["S1", "127.0.0.1"],
    ["S2", "2130706433"],
    ["S3", "0x7f000001"],
    ["S5", "127.1"],
    ["S7", "[::1]"],
    ["S8", "[::ffff:127.0.0.1]"],
    ["S19", "127。0。0。1"],
    ["S20", "localhost"],
    ["S27", "private.test"],
    ["S28", "mixed.test"],
    ["S29", "v6-mapped.test"],
    ["S29", "v6-nat64.test"],
    ["S29", "v6-loopback.test"],
    ["S17", "metadata-by-name.test"],
  ])("refuses %s %s without connecting", async (_id, host) => {
    expect(await fetchText(at(host))).toBe("FETCH_REFUSED");
  });

  it.each([
    ["S32 a private address", () => at("127.0.0.1")],
    ["S33 a private name", () => at("private.test")],
    ["S34 a mixed name", () => at("mixed.test")],
    ["S35 a file", () => "file:///etc/passwd"],
    ["S36 an address without scheme", () => `//127.0.0.1:${publicServer.port}/`],
    ["S37 a user name", () => `http://public.test:${publicServer.port}@127.0.0.1/`],
    ["S22 a tab", () => `http://127.0.0.1\t:${publicServer.port}/`],
    ["S23 a backslash", () => "/\\127.0.0.1/"],
    ["S26 a port of a service", () => "http://public.test:6379/"],
  ])("refuses a redirect to %s", async (_name, target) => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await fetchText(redirectTo(target(), status))).toBe("FETCH_REFUSED");
    }
  });

  it("follows redirects between open places", async () => {
    expect(await fetchText(redirectTo(at("127.0.0.2", "/found")))).toBe("public");
    expect(await fetchText(redirectTo("/relative"))).toBe("public");
  });

  it("S30 connects to the address it judged when a name changes its address each time it is asked for", async () => {
    const outcomes = { public: 0, FETCH_REFUSED: 0 };
    for (let round = 0; round < 500; round++) {
      const outcome = await fetchText(at(`rebinding-${round % 2 === 0 ? round : round - 1}.test`));
      outcomes[outcome as keyof typeof outcomes]++;
      expect(["public", "FETCH_REFUSED"]).toContain(outcome);
    }
    expect(outcomes.public).toBeGreaterThan(0);
    expect(outcomes.public + outcomes.FETCH_REFUSED).toBe(500);
    expect(internalServer.connectionCount).toBe(0);
  });

  it("S31 keeps the judged address while a connection is kept, and judges anew when it is not", async () => {
    rebinds = 0;
    expect(await fetchText(at("late.test"))).toBe("public");
    await turnOfEventLoop();
    expect(await fetchText(at("late.test"))).toBe("public");
    const later = createOutboundHttp({
      ...defaultOutboundSettings,
      allowedHosts: [`127.0.0.2:${publicServer.port}`],
      dnsServers: [dns.server],
    });
    const request = { url: at("late.test"), timeoutMs: 5_000, maxBytes: 1_000 };
    const refusal = { reason: "FETCH_REFUSED" };
    await expect(later.request(request, new AbortController().signal)).rejects.toMatchObject(refusal);
    await later.close();
  });

  it("S52 does not use the proxy of the environment", async () => {
    const proxy = await startHttpFixture((_request, response) => response.end("proxied"));
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: proxy.origin, http_proxy: proxy.origin, NODE_USE_ENV_PROXY: "1" });
    expect(await fetchText(at("public.test"))).toBe("public");
    process.env = before;
    expect(proxy.connectionCount).toBe(0);
    await proxy[Symbol.asyncDispose]();
  });

  it("S55 says the same of a closed and of an open port that it refuses", async () => {
    const messageOf = async (port: number) => {
      const request = { url: `http://127.0.0.1:${port}/`, timeoutMs: 5_000, maxBytes: 1_000 };
      return http.request(request, new AbortController().signal).catch(String);
    };
    const open = await messageOf(internalServer.port);
    expect(await messageOf(await findClosedPort())).toBe(open);
    expect(open).toContain("FETCH_REFUSED");
  });

  it("tells nothing of the operating system when an open place does not answer", async () => {
    const port = await findClosedPort("127.0.0.2");
    const opened = createOutboundHttp({ ...defaultOutboundSettings, allowedHosts: [`127.0.0.2:${port}`] });
    const request = { url: `http://127.0.0.2:${port}/`, timeoutMs: 5_000, maxBytes: 1_000 };
    const message = await opened.request(request, new AbortController().signal).catch(String);
    expect(message).toContain("FETCH_FAILED");
    expect(message).not.toMatch(/ECONNREFUSED|127\.0\.0\.2|connect /);
    await opened.close();
  });

  it("judges an address for others without connecting", async () => {
    const connections = publicServer.connectionCount;
    const signal = new AbortController().signal;
    await expect(http.judge(at("public.test"), signal)).resolves.toBeUndefined();
    await expect(http.judge(at("private.test"), signal)).rejects.toMatchObject({ reason: "FETCH_REFUSED" });
    await expect(http.judge(at("mixed.test"), signal)).rejects.toMatchObject({ reason: "FETCH_REFUSED" });
    expect(publicServer.connectionCount).toBe(connections);
  });

  it("trusts the origin that the operator configured, but not where it redirects", async () => {
    expect(await fetchText(at("127.0.0.1"), { isTrusted: true })).toBe(secret);
    const before = internalServer.requests.length;
    const redirecting = await startHttpFixture((_request, response) => {
      response.writeHead(302, { location: at("127.0.0.1", "/leak") }).end();
    });
    expect(await fetchText(redirecting.origin, { isTrusted: true })).toBe("FETCH_REFUSED");
    expect(internalServer.requests.length).toBe(before);
    await redirecting[Symbol.asyncDispose]();
  });
});

describe("the internal server", () => {
  it("was reached by nothing but the request that was trusted", () => {
    expect(internalServer.requests.map(({ url }) => url)).toEqual(["/"]);
  });
});
