import { describe, expect, it } from "vitest";
import { defaultCacheSettings, toCacheSettings } from "./cache-settings.ts";
import { parseAllowedHosts } from "./download/allowed-hosts.ts";
import { readRetryAfterMs } from "./download/retry-after.ts";
import { matchPattern } from "./match-pattern.ts";
import { createProgressMeter } from "./progress-meter.ts";
import { readNextLink } from "./sources/hub-api.ts";
import { judgeFileTypes } from "./unsafe-files.ts";

describe("patterns of paths", () => {
  it.each([
    ["config.json", "*.json", true],
    ["sub/config.json", "*.json", true],
    ["config.json", "*.jso", false],
    ["model-00001-of-00002.safetensors", "model-*-of-*.safetensors", true],
    ["a", "?", true],
    ["", "*", true],
    ["ab", "?", false],
    ["tokenizer/x", "tokenizer/*", true],
    ["a.b", "a?b", true],
    ["anything", "**", true],
  ])("%j and %j: %j", (path, pattern, expected) => {
    expect(matchPattern(path, pattern)).toBe(expected);
  });

  it("take no longer the more stars they have", () => {
    expect(matchPattern("a".repeat(1024), `${"*a".repeat(100)}b`)).toBe(false);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }, 5_000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{ ratelimit: '"api";r=0;t=55' }, 55_000],
    [{ ratelimit: '"api";r=10;t=55' }, undefined],
    [{}, undefined],
  ])("%j: %j", (headers, expected) => {
    expect(readRetryAfterMs(headers as Record<string, string>, now)).toBe(expected);
  });
});

describe("Link", () => {
  it.each([
    ['<https://hub/a?cursor=1>; rel="next"', "https://hub/a?cursor=1"],
    ['<https://hub/a>; rel="prev", <https://hub/b>; rel="next"', "https://hub/b"],
    ["</c>; rel=next", "/c"],
    ['<https://hub/a>; rel="last"', undefined],
    ["", undefined],
  ])("%j leads to %j", (header, expected) => {
    expect(readNextLink(header)).toBe(expected);
  });
});

describe("allowed hosts", () => {
  const judge = (entries: string[], address: string, { host = address, port = 443 } = {}) =>
    parseAllowedHosts(entries).judgeAddress(address, host, port);

  it("are the public internet and what the operator opened", () => {
    expect(judge([], "8.8.8.8")).toBeUndefined();
    expect(judge([], "10.0.0.1")).toBe("a private address");
    expect(judge(["10.0.0.0/8"], "10.0.0.1")).toBeUndefined();
    expect(judge(["10.0.0.1:9000"], "10.0.0.1", { port: 9000 })).toBeUndefined();
    expect(judge(["10.0.0.1:9000"], "10.0.0.1", { port: 80 })).toBeTypeOf("string");
    expect(judge(["minio.local"], "10.0.0.1", { host: "minio.local" })).toBeUndefined();
    expect(judge(["*.example.org"], "10.0.0.1", { host: "a.example.org" })).toBeUndefined();
    expect(judge(["*.example.org"], "10.0.0.1", { host: "example.org" })).toBeTypeOf("string");
    expect(judge(["[::1]:9000"], "::1", { port: 9000 })).toBeUndefined();
  });

  it("have a cloud's metadata only by exactly its address", () => {
    expect(judge(["169.254.0.0/16"], "169.254.169.254")).toBeTypeOf("string");
    expect(judge(["metadata.local"], "169.254.169.254", { host: "metadata.local" })).toBeTypeOf("string");
    expect(judge(["169.254.169.254"], "169.254.169.254")).toBeUndefined();
  });

  it("have the ports of the web, and others below 1024 by name only", () => {
    expect(parseAllowedHosts([]).judgePort("example.org", 443)).toBeUndefined();
    expect(parseAllowedHosts([]).judgePort("example.org", 22)).toBeTypeOf("string");
    expect(parseAllowedHosts(["example.org:22"]).judgePort("example.org", 22)).toBeUndefined();
    expect(parseAllowedHosts(["example.org"]).judgePort("example.org", 22)).toBeTypeOf("string");
  });

  it.each(["", "http://x", "a b", "10.0.0.0/99", "host:99999", "300.1.1.1"])("may not be written as %j", (entry) => {
    expect(() => parseAllowedHosts([entry])).toThrow(TypeError);
  });
});

describe("types of files", () => {
  const files = ["model.safetensors", "config.json", "pytorch_model.BIN", "a/optimizer.pt"].map((path) => ({ path }));

  it("that can run code are refused with their names, left out or kept", () => {
    expect(() => judgeFileTypes(files, "refuse")).toThrow(/`pytorch_model.BIN`, `a\/optimizer.pt`/);
    expect(judgeFileTypes(files, "skip")).toEqual({
      kept: files.slice(0, 2),
      skipped: ["pytorch_model.BIN", "a/optimizer.pt"],
    });
    expect(judgeFileTypes(files, "allow")).toEqual({ kept: files, skipped: [] });
    expect(judgeFileTypes(files.slice(0, 2), "refuse").kept).toHaveLength(2);
  });
});

describe("progress", () => {
  it("tells the rate over the last seconds, and takes back what is begun anew", () => {
    let nowMs = 0;
    const progress = createProgressMeter("fetching", () => nowMs);
    progress.total(1000, 2);
    progress.resumed(100);
    expect(progress.read()).toMatchObject({ bytes_done: 100, resumed_bytes: 100, bytes_per_second: null });
    progress.bytes(100);
    nowMs = 1000;
    progress.bytes(200);
    expect(progress.read()).toMatchObject({ bytes_done: 400, bytes_per_second: 200 });
    progress.bytes(-400);
    expect(progress.read()).toMatchObject({ bytes_done: 0 });
  });
});

describe("settings", () => {
  const values = {
    NODE_AGENT_CACHE_DIR: undefined,
    NODE_AGENT_CACHE_ROOTS: [],
    NODE_AGENT_CACHE_ALLOWED_HOSTS: [],
    NODE_AGENT_HUB_ENDPOINT: undefined,
    NODE_AGENT_HUB_TOKEN: undefined,
    NODE_AGENT_CACHE_CA_FILE: undefined,
    NODE_AGENT_CACHE_MAX_FILES: 10_000,
    NODE_AGENT_CACHE_MAX_GIB: 2048,
    NODE_AGENT_CACHE_ENTRIES_AT_ONCE: 2,
    NODE_AGENT_CACHE_FILES_AT_ONCE: 4,
    NODE_AGENT_CACHE_IDLE_TIMEOUT_MS: 60_000,
    NODE_AGENT_CACHE_KEEP_UNFINISHED_DAYS: 7,
  };

  it("are the defaults where nothing is set", () => {
    expect(toCacheSettings(values)).toEqual(defaultCacheSettings);
  });

  it("with faults are refused all at once", () => {
    const wrong = {
      ...values,
      NODE_AGENT_CACHE_ROOTS: ["models"],
      NODE_AGENT_CACHE_ALLOWED_HOSTS: ["http://x"],
      NODE_AGENT_CACHE_CA_FILE: "/nowhere",
    };
    expect(() => toCacheSettings(wrong)).toThrow(/3 fault/);
  });
});
