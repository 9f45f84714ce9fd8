import { randomBytes } from "node:crypto";
import { Secret } from "@attune/service-kit/secret.ts";
import { findClosedPort, startRawFixture } from "@attune/testkit/http-fixture.ts";
import { type FakeS3, startFakeS3 } from "@attune/testkit/s3-fixture-fake.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ObjectStore } from "../object-store.ts";
import { collect, digestOf, readObject, reasonOf } from "../store-fixture.contract.ts";
import { defaultS3Settings, type S3StoreSettings } from "./s3-connection.ts";
import { createS3Store } from "./s3-store.ts";

const mib = 2 ** 20;

describe("the S3 store", () => {
  let server: FakeS3;
  let stores: ObjectStore[];
  const open = (more: Partial<S3StoreSettings> = {}): ObjectStore => {
    const { endpoint, accessKeyId } = server;
    const access = { bucket: "objects", endpoint, accessKeyId, secretAccessKey: new Secret(server.secretAccessKey) };
    const store = createS3Store({ ...defaultS3Settings, maxAttempts: 1, ...access, ...more });
    stores.push(store);
    return store;
  };
  const namesLeft = () => {
    const { objects, uploads } = server.buckets.get("objects") ?? { objects: new Map(), uploads: new Map() };
    return [...objects.keys(), ...uploads.keys()];
  };

  beforeEach(async () => {
    stores = [];
    server = await startFakeS3();
    await server.createBucket("objects");
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    await server[Symbol.asyncDispose]();
  });

  it("tells a server that is down in every call, and says so in its health", async () => {
    const store = open({ endpoint: `http://127.0.0.1:${await findClosedPort()}` });
    const calls: (() => Promise<unknown>)[] = [
      () => store.put("a", Buffer.from("x")),
      () => store.put("a", randomBytes(20 * mib)),
      () => store.get("a"),
      () => store.head("a"),
      () => store.delete("a"),
      () => store.copy("a", "b"),
      () => store.createUpload("a"),
      () => store.sweep({ olderThanMs: 0 }),
      () => collect(store.list("")),
    ];
    for (const call of calls) expect(await reasonOf(call)).toBe("STORAGE_UNAVAILABLE");
    expect(await store.probe()).toMatchObject({
      isAvailable: false,
      unavailableReason: expect.stringContaining("could not be reached"),
    });
  });

  it("ends a call to a server that falls silent", async () => {
    await using silent = await startRawFixture(() => {});
    const store = open({ endpoint: silent.origin, idleTimeoutMs: 200 });
    expect(await reasonOf(() => store.put("a", Buffer.from("x")))).toBe("STORAGE_UNAVAILABLE");
    expect(await reasonOf(() => store.get("a"))).toBe("STORAGE_UNAVAILABLE");
  });

  it.each([
    [507, "XMinioStorageFull", "STORAGE_FULL"],
    [403, "QuotaExceeded", "STORAGE_FULL"],
    [413, "EntityTooLarge", "STORAGE_FULL"],
    [500, "InternalError", "STORAGE_UNAVAILABLE"],
    [503, "SlowDown", "STORAGE_UNAVAILABLE"],
    [403, "AccessDenied", "STORAGE_DENIED"],
    [403, "RequestTimeTooSkewed", "STORAGE_DENIED"],
    [400, "BadDigest", "STORAGE_UNAVAILABLE"],
  ])("tells status %i %s of a write as %s, and leaves nothing", async (status, code, reason) => {
    const store = open();
    for (const failing of [/^PUT/, /^POST .*uploads/, /partNumber=3/, /^POST .*uploadId/]) {
      server.onRequest = (call) => (failing.test(call) ? { status, code } : undefined);
      expect(await reasonOf(() => store.put("large", randomBytes(20 * mib)))).toBe(reason);
      expect(namesLeft()).toEqual([]);
    }
    server.onRequest = (call) => (call.startsWith("PUT") ? { status, code } : undefined);
    expect(await reasonOf(() => store.put("small", Buffer.from("x")))).toBe(reason);
    expect(await store.probe()).toMatchObject({ isAvailable: false });
    expect(namesLeft()).toEqual([]);
  });

  it("leaves nothing staged when the server cannot copy", async () => {
    const store = open();
    let puts = 0;
    server.onRequest = (call) => (/^PUT [^?]*objects\/large/.test(call) && ++puts ? { status: 500 } : undefined);
    expect(await reasonOf(() => store.put("large", randomBytes(20 * mib)))).toBe("STORAGE_UNAVAILABLE");
    expect([puts, namesLeft()]).toEqual([1, []]);
  });

  it("tells wrong credentials, a wrong bucket and a bucket that is closed to it", async () => {
    const wrong = [
      [{ secretAccessKey: new Secret("wrong") }, "STORAGE_DENIED", /PLATFORM_S3_SECRET_ACCESS_KEY/],
      [{ accessKeyId: "unknown" }, "STORAGE_DENIED", /PLATFORM_S3_ACCESS_KEY_ID/],
      [{ bucket: "missing" }, "STORAGE_UNAVAILABLE", /bucket does not exist \(PLATFORM_S3_BUCKET\)/],
    ] as const;
    for (const [settings, reason, told] of wrong) {
      const store = open(settings);
      expect(await reasonOf(() => store.put("a", Buffer.from("x")))).toBe(reason);
      expect(await reasonOf(() => store.get("a"))).toBe(reason);
      // Not "there is no such object": a sweep would believe it.
      expect(await reasonOf(() => store.head("a"))).toBe(reason);
      expect(await store.probe()).toMatchObject({ isAvailable: false, unavailableReason: expect.stringMatching(told) });
    }
    server.forbidden.add("objects");
    expect(await reasonOf(() => open().put("a", Buffer.from("x")))).toBe("STORAGE_DENIED");
  });

  it("does not believe a server that confirms what it does not hold", async () => {
    const store = open();
    server.onRequest = (call) => (/^PUT [^?]*objects\/lied/.test(call) ? { isLie: true } : undefined);
    expect(await reasonOf(() => store.put("lied", Buffer.from("x")))).toBe("STORAGE_UNAVAILABLE");
  });

  it("tries again where that may help", async () => {
    const store = open({ maxAttempts: 3 });
    let failures = 2;
    server.onRequest = (call) =>
      call.startsWith("PUT") && failures-- > 0 ? { status: 503, code: "SlowDown" } : undefined;
    expect(await store.put("a", Buffer.from("x"))).toEqual(digestOf(Buffer.from("x")));
  });

  it("goes on where a connection broke, and gives the whole object", async () => {
    const store = open();
    const bytes = randomBytes(5 * mib);
    await store.put("a", bytes);
    const faults = [{ breakAfterBytes: 2 * mib }, { breakAfterBytes: 100_000 }, { breakAfterBytes: 1 }];
    server.onGet = () => faults.shift();
    expect(bytes.equals(await readObject(store, "a"))).toBe(true);
    faults.push({ breakAfterBytes: 1_000 });
    expect(
      bytes.subarray(10, 2 * mib).equals(await readObject(store, "a", { firstByte: 10, lastByte: 2 * mib - 1 })),
    ).toBe(true);
  });

  it("gives up when the connection breaks again and again, and never mixes two objects", async () => {
    const store = open();
    await store.put("a", randomBytes(mib));
    server.onGet = () => ({ breakAfterBytes: 1_000 });
    expect(await reasonOf(() => readObject(store, "a"))).toBe("STORAGE_UNAVAILABLE");
    const { stream } = await store.get("a");
    await server.putObject({ bucket: "objects", key: "attune/objects/a" }, { body: randomBytes(mib) });
    server.onGet = undefined;
    await expect(stream.toArray()).rejects.toMatchObject({ reason: "STORAGE_UNAVAILABLE" });
  });

  it("copies in parts what one request may not copy", async () => {
    const store = open({ maxCopyBytes: 6 * mib });
    const bytes = randomBytes(20 * mib);
    const stream = async function* () {
      for (let start = 0; start < bytes.length; start += mib) yield bytes.subarray(start, start + mib);
    };
    expect(await store.put("a", stream())).toEqual(digestOf(bytes));
    expect(server.calls.filter((call) => /^PUT .*objects\/a\?partNumber/.test(call))).toHaveLength(4);
    expect(bytes.equals(await readObject(store, "a"))).toBe(true);
    expect(await store.head("a")).toMatchObject({ sha256: digestOf(bytes).sha256 });
  });

  it("stages nothing when the SHA-256 is known before", async () => {
    const bytes = randomBytes(20 * mib);
    await open().put("a", bytes, { expected: digestOf(bytes) });
    expect(server.calls.filter((call) => call.includes("staging"))).toEqual([]);
    expect(namesLeft()).toEqual(["attune/objects/a"]);
  });

  it("completes an upload whose first answer was lost at any step", async () => {
    const store = open();
    const bytes = randomBytes(6 * mib);
    for (const losing of [/^POST .*uploadId/, /^PUT [^?]*objects\/u/, /^HEAD .*objects\/u/, /^DELETE/]) {
      const upload = await store.createUpload("u");
      await store.putPart(upload, { partNumber: 1, body: bytes });
      let losses = 1;
      server.onRequest = (call) => (losing.test(call) && losses-- > 0 ? { isAnswerLost: true } : undefined);
      const complete = () => store.completeUpload(upload, { expected: digestOf(bytes) });
      expect([undefined, "STORAGE_UNAVAILABLE"]).toContain(await reasonOf(complete));
      expect(losses).toBe(0);
      expect(await complete()).toEqual(digestOf(bytes));
      expect(namesLeft()).toEqual(["attune/objects/u"]);
      await store.delete("u");
    }
  });

  it("keeps to its prefix of the bucket", async () => {
    await server.putObject({ bucket: "objects", key: "other/thing" }, { body: "foreign" });
    const store = open({ prefix: "mine/" });
    await store.put("a", Buffer.from("x"));
    expect((await collect(store.list(""))).map(({ key }) => key)).toEqual(["a"]);
    await store.sweep({ olderThanMs: -60_000 });
    expect(new Set(namesLeft())).toEqual(new Set(["mine/objects/a", "other/thing"]));
  });

  it("makes links for the address that browsers reach", async () => {
    const store = open({ publicEndpoint: "https://files.example.org:9000" });
    const { url } = await store.signGet("a", { expiresInSeconds: 60 });
    expect(url).toMatch(/^https:\/\/files\.example\.org:9000\/objects\/attune\/objects\/a\?/);
    expect(url).not.toContain(server.secretAccessKey);
  });
});
