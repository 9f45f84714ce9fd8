import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { findSwiftObstacle, startSwift } from "@attune/testkit/s3-fixture-swift.ts";
import { findClosedPort } from "@attune/testkit/http-fixture.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeS3Contract, openObject } from "./s3-source.contract.ts";
import { createS3Source, defaultS3SourceSettings } from "./s3-source.ts";

describeS3Contract("the fake server", startFakeS3);

const obstacle = await findSwiftObstacle();
if (obstacle === undefined) describeS3Contract("OpenStack Swift", startSwift);
else console.warn(`skipped: the s3 source with OpenStack Swift: ${obstacle}`);

describe("the s3 source", () => {
  let server: FakeS3;
  const body = Buffer.from("0123456789".repeat(20_000));
  const url = "s3://documents/file.bin";

  beforeAll(async () => {
    server = await startFakeS3();
    await server.createBucket("documents");
  });

  beforeEach(async () => {
    server.onGet = undefined;
    await server.putObject({ bucket: "documents", key: "file.bin" }, { body });
  });

  afterAll(() => server[Symbol.asyncDispose]());

  it("goes on where a connection broke", async () => {
    const faults = [{ breakAfterBytes: 70_000 }, { breakAfterBytes: 50_000 }];
    server.onGet = () => faults.shift();
    const before = server.calls.length;
    const opened = await openObject(server, url);
    expect(typeof opened !== "string" && opened.bytes.equals(body)).toBe(true);
    expect(server.calls.slice(before).filter((call) => call.includes("bytes="))).toHaveLength(2);
  });

  it("F20 gives no mixture when the object is replaced while it is read", async () => {
    const faults = [{ breakAfterBytes: 70_000 }];
    server.onGet = () => {
      const fault = faults.shift();
      const replace = () => void server.putObject({ bucket: "documents", key: "file.bin" }, { body: "replaced" });
      if (fault !== undefined) setTimeout(replace, 5);
      return fault;
    };
    expect(await openObject(server, url)).toBe("FETCH_FAILED");
  });

  it("gives up when the connection breaks again and again", async () => {
    server.onGet = () => ({ breakAfterBytes: 1_000 });
    expect(await openObject(server, url)).toBe("FETCH_FAILED");
  });

  it("ends a body that drips", async () => {
    server.onGet = () => ({ dripIntervalMs: 20 });
    expect(await openObject(server, url, { minRateWindowMs: 300 })).toBe("FETCH_TIMEOUT");
  });

  it.each([
    [500, "InternalError", "FETCH_FAILED"],
    [503, "SlowDown", "FETCH_FAILED"],
    [403, "InvalidObjectState", "FETCH_FAILED"],
    [403, "AccessDenied", "FETCH_DENIED"],
    [301, "PermanentRedirect", "FETCH_FAILED"],
    [404, "NoSuchKey", "FILE_NOT_FOUND"],
  ])("tells status %i %s as %s", async (status, code, reason) => {
    server.onGet = () => ({ status, code });
    expect(await openObject(server, url)).toBe(reason);
  });

  it("says when access to the bucket is denied", async () => {
    server.forbidden.add("documents");
    expect(await openObject(server, url)).toBe("FETCH_DENIED");
    server.forbidden.delete("documents");
  });

  it("says when the server cannot be reached, without what the system says", async () => {
    const source = createS3Source({
      ...defaultS3SourceSettings,
      endpoint: `http://127.0.0.1:${await findClosedPort()}`,
      buckets: ["documents"],
      accessKeyId: "a",
      secretAccessKey: "b",
    });
    const message = await source.open(url, new AbortController().signal).catch(String);
    expect(message).toContain("FETCH_FAILED");
    expect(message).not.toMatch(/ECONNREFUSED|127\.0\.0\.1/);
  });

  it("stops when the caller aborts", async () => {
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    const settings = { ...defaultS3SourceSettings, endpoint, region, accessKeyId, secretAccessKey };
    const abort = new AbortController();
    const { stream } = await createS3Source({ ...settings, buckets: ["documents"] }).open(url, abort.signal);
    const read = async () => {
      for await (const _chunk of stream) abort.abort(new Error("the caller went away"));
    };
    await expect(read()).rejects.toThrow("the caller went away");
  });

  it.each([
    "s3://documents",
    "s3://documents/",
    "s3:///key",
    "s3:documents/key",
    "s3://us:er@documents/key",
    "s3://127.0.0.1:9000/documents/key",
    "s3://documents/a\nb",
    "s3://documents/\ud800",
    `s3://documents/${"a".repeat(1_025)}`,
  ])("F18 refuses %j", async (text) => {
    expect(await openObject(server, text)).toBe("FILE_URL_INVALID");
  });
});
