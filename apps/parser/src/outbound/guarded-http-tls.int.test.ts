import { AppError } from "@attune/service-kit/app-error.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { makeCertificate } from "@attune/testkit/http-fixture-certificate.ts";
import { startDnsFixture } from "@attune/testkit/http-fixture-dns.ts";
import { describe, expect, it } from "vitest";
import { createOutboundHttp } from "./guarded-http.ts";
import { defaultOutboundSettings } from "./outbound-settings.ts";

const certificate = makeCertificate("right.test");
if (certificate === undefined) console.warn("skipped: no openssl to make a certificate for the tests of TLS");

describe.skipIf(certificate === undefined)("TLS", () => {
  async function fetchSecure(name: string, isKnown: boolean) {
    await using dns = await startDnsFixture((_name, family) => (family === 4 ? ["127.0.0.1"] : []));
    await using server = await startHttpFixture(
      (request, response) => {
        if (request.url === "/down") response.writeHead(302, { location: "http://right.test/" }).end();
        else response.end("secure");
      },
      { tls: certificate ?? { key: "", cert: "" } },
    );
    const http = createOutboundHttp({
      ...defaultOutboundSettings,
      allowedHosts: [`127.0.0.1:${server.port}`],
      dnsServers: [dns.server],
      ...(isKnown && { extraCaPem: certificate?.cert ?? "" }),
    });
    const [host = "", path = ""] = name.split("/");
    const request = { url: `https://${host}:${server.port}/${path}`, timeoutMs: 5_000, maxBytes: 100, maxRedirects: 5 };
    const outcome = await http.request(request, new AbortController().signal).then(
      ({ body }) => Buffer.from(body).toString(),
      (error: unknown) => (error instanceof AppError ? error.reason : String(error)),
    );
    await http.close();
    return { outcome, servername: server.requests[0]?.servername };
  }

  it("is verified against the name, which is told to the server", async () => {
    expect(await fetchSecure("right.test", true)).toEqual({ outcome: "secure", servername: "right.test" });
  });

  it("S51 with another name is refused before a request is sent", async () => {
    expect(await fetchSecure("wrong.test", true)).toEqual({ outcome: "FETCH_FAILED", servername: undefined });
  });

  it("of an unknown authority is refused", async () => {
    expect(await fetchSecure("right.test", false)).toEqual({ outcome: "FETCH_FAILED", servername: undefined });
  });

  it("S39 is not left for plain http", async () => {
    expect((await fetchSecure("right.test/down", true)).outcome).toBe("FETCH_REFUSED");
  });
});
