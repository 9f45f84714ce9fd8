import { ConfigError } from "@attune/service-kit/load-config.ts";
import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";

test("the defaults serve one machine and open nothing", () => {
  const config = loadConfig({});
  expect(config.server).toMatchObject({ host: "127.0.0.1", port: 50_051, tls: undefined, token: undefined });
  expect(config.fetch).toMatchObject({ fileRoots: [], allowedHosts: [], s3: { buckets: [] } });
});

test("half of a TLS pair is a fault", () => {
  expect(() => loadConfig({ PARSER_TLS_CERT_PATH: "/a.pem" })).toThrow(/PARSER_TLS_KEY_PATH/);
  expect(() => loadConfig({ PARSER_TLS_KEY_PATH: "/a.pem" })).toThrow(/PARSER_TLS_CERT_PATH/);
  expect(() => loadConfig({ PARSER_TLS_CLIENT_CA_PATH: "/a.pem" })).toThrow(/PARSER_TLS_CERT_PATH/);
});

test("an unknown variable with our prefix is a fault", () => {
  expect(() => loadConfig({ PARSER_PROT: "1" })).toThrow(ConfigError);
});

test("a host list with an entry that is none is a fault", () => {
  expect(() => loadConfig({ PARSER_ALLOWED_HOSTS: "10.0.0.0/99" })).toThrow(/PARSER_ALLOWED_HOSTS/);
});
