import { ConfigError } from "@attune/service-kit/load-config.ts";
import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";

test("the defaults serve this machine alone, without a token", () => {
  expect(loadConfig({})).toMatchObject({ host: "127.0.0.1", port: 8090, metricsPort: 0, server: { token: undefined } });
});

test.each(["0.0.0.0", "::", "192.168.1.5", "node-1.example.org", "127.0.0.1.example.org", "::ffff:127.0.0.1"])(
  "an address that others may reach needs a token: %s",
  (host) => {
    expect(() => loadConfig({ NODE_AGENT_HOST: host })).toThrow(/NODE_AGENT_HOST: .* set NODE_AGENT_TOKEN/);
    const { server } = loadConfig({ NODE_AGENT_HOST: host, NODE_AGENT_TOKEN: "sixteen-letters-" });
    expect(server.token?.reveal()).toBe("sixteen-letters-");
  },
);

test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("on %s alone no token is needed", (host) => {
  expect(loadConfig({ NODE_AGENT_HOST: host }).host).toBe(host);
});

test("every fault is told at once, and no token is shown", () => {
  const environment = { NODE_AGENT_PORT: "x", NODE_AGENT_LOG_LEVEL: "loud", NODE_AGENT_PROT: "1" };
  expect(() => loadConfig(environment)).toThrow(/3 fault/);
  const load = () => loadConfig({ NODE_AGENT_TOKEN: "too-short" });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/at least 16 characters/);
  expect(load).not.toThrow(/too-short/);
});
