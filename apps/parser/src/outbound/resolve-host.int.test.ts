import { startDnsFixture } from "@attune/testkit/http-fixture-dns.ts";
import { startHttpFixture } from "@attune/testkit/http-fixture.ts";
import { describe, expect, it } from "vitest";
import { createOutboundHttp } from "./guarded-http.ts";
import { defaultOutboundSettings } from "./outbound-settings.ts";
import { createResolveHost } from "./resolve-host.ts";

const asCaller = { isSystem: false };

describe("createResolveHost", () => {
  it("gives the addresses of both families, IPv4 first", async () => {
    await using dns = await startDnsFixture((_name, family) =>
      family === 4 ? ["8.8.8.8", "8.8.4.4"] : ["2001:4860::1"],
    );
    const resolveHost = createResolveHost({ dnsServers: [dns.server], resolveTimeoutMs: 2_000 });
    const addresses = await resolveHost("both.test", asCaller);
    expect(addresses.slice(0, 2).sort()).toEqual(["8.8.4.4", "8.8.8.8"]);
    expect(addresses[2]).toBe("2001:4860::1");
  });

  it("does not wait long for a family that never answers", async () => {
    await using dns = await startDnsFixture((_name, family) => (family === 4 ? ["8.8.8.8"] : undefined));
    const resolveHost = createResolveHost({ dnsServers: [dns.server], resolveTimeoutMs: 5_000 });
    const startedAtMs = performance.now();
    expect(await resolveHost("half.test", asCaller)).toEqual(["8.8.8.8"]);
    expect(performance.now() - startedAtMs).toBeLessThan(4_500);
  });

  it("says when a name has no address", async () => {
    await using dns = await startDnsFixture(() => []);
    const resolveHost = createResolveHost({ dnsServers: [dns.server], resolveTimeoutMs: 2_000 });
    await expect(resolveHost("none.test", asCaller)).rejects.toMatchObject({ reason: "FETCH_FAILED" });
  });

  it("finds the names of this machine only when asked as its operator", async () => {
    await using dns = await startDnsFixture(() => []);
    const resolveHost = createResolveHost({ dnsServers: [dns.server], resolveTimeoutMs: 2_000 });
    expect(await resolveHost("localhost", { isSystem: true })).toContain("127.0.0.1");
  });

  it("S53 ends in time when DNS never answers, 50 times at once, while other requests go on", async () => {
    await using dns = await startDnsFixture((name, family) => {
      if (name.startsWith("silent")) return undefined;
      return family === 4 ? ["127.0.0.2"] : [];
    });
    await using server = await startHttpFixture((_request, response) => response.end("ok"), { host: "127.0.0.2" });
    const allowedHosts = [`127.0.0.2:${server.port}`];
    const settings = { ...defaultOutboundSettings, allowedHosts, dnsServers: [dns.server], resolveTimeoutMs: 2_000 };
    const http = createOutboundHttp(settings);
    const fetchFrom = (host: string) => {
      const request = { url: `http://${host}:${server.port}/`, timeoutMs: 10_000, maxBytes: 100 };
      return http.request(request, new AbortController().signal);
    };
    const startedAtMs = performance.now();
    const silent = Promise.allSettled(Array.from({ length: 50 }, (_, index) => fetchFrom(`silent-${index}.test`)));
    let isAnySilentDone = false;
    void silent.then(() => (isAnySilentDone = true));
    expect((await fetchFrom("quick.test")).status).toBe(200);
    expect(isAnySilentDone).toBe(false);
    const outcomes = (await silent).map((outcome) => outcome.status === "rejected" && outcome.reason.reason);
    expect(new Set(outcomes)).toEqual(new Set(["FETCH_TIMEOUT"]));
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    await http.close();
  });
});
