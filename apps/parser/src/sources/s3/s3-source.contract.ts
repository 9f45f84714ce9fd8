import { AppError } from "@attune/service-kit/app-error.ts";
import type { S3Fixture } from "@attune/testkit/s3-fixture.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createS3Source, defaultS3SourceSettings, type S3SourceSettings } from "./s3-source.ts";

/** Opens one object and reads it; the reason when that fails. */
export async function openObject(server: S3Fixture, url: string, more: Partial<S3SourceSettings> = {}) {
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const settings = {
    ...defaultS3SourceSettings,
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    buckets: ["documents"],
  };
  try {
    const source = createS3Source({ ...settings, ...more });
    const { stream, ...rest } = await source.open(url, new AbortController().signal);
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return { ...rest, bytes: Buffer.concat(chunks) };
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

/** What the S3 source does with any server that speaks the protocol. */
export function describeS3Contract(name: string, start: () => Promise<S3Fixture>): void {
  describe(`the s3 source with ${name}`, () => {
    let server: S3Fixture;

    beforeAll(async () => {
      server = await start();
      await server.createBucket("documents");
      await server.createBucket("private");
      await server.putObject({ bucket: "private", key: "secret.txt" }, { body: "secret" });
    });

    afterAll(() => server[Symbol.asyncDispose]());

    it("reads an object with its type, size and name", async () => {
      const object = { body: "<p>hello</p>", contentType: "text/html; charset=Shift_JIS" };
      await server.putObject({ bucket: "documents", key: "reports/2026/q1.html" }, object);
      expect(await openObject(server, "s3://documents/reports/2026/q1.html")).toEqual({
        bytes: Buffer.from("<p>hello</p>"),
        sizeBytes: 12,
        mediaType: "text/html",
        charset: "shift_jis",
        fileName: "q1.html",
      });
    });

    it("reads every byte of a large object", async () => {
      const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 31) & 255));
      await server.putObject({ bucket: "documents", key: "large.bin" }, { body });
      const opened = await openObject(server, "s3://documents/large.bin");
      expect(typeof opened !== "string" && body.equals(opened.bytes)).toBe(true);
    });

    it.each([
      "名前 é 😀.txt",
      "a b+c%20d.txt",
      "what?is#this&that=.txt",
      "it's (a) *star*!.txt",
      "folder/../up.txt",
      "double//slash.txt",
    ])("F17 takes the key %j letter by letter", async (key) => {
      await server.putObject({ bucket: "documents", key }, { body: `of ${key}` });
      expect(await openObject(server, `s3://documents/${key}`)).toMatchObject({ bytes: Buffer.from(`of ${key}`) });
    });

    it("F17 does not climb out of the bucket", async () => {
      for (const key of [
        "../private/secret.txt",
        "..%2Fprivate/secret.txt",
        "a/../../private/secret.txt",
        "//private/secret.txt",
      ]) {
        expect(await openObject(server, `s3://documents/${key}`)).not.toHaveProperty("bytes");
      }
    });

    it("gives an empty object as it is", async () => {
      await server.putObject({ bucket: "documents", key: "empty" }, { body: "" });
      expect(await openObject(server, "s3://documents/empty")).toMatchObject({ sizeBytes: 0, bytes: Buffer.alloc(0) });
    });

    it("says what does not exist", async () => {
      expect(await openObject(server, "s3://documents/nothing.txt")).toBe("FILE_NOT_FOUND");
      expect(await openObject(server, "s3://missing-bucket/a", { buckets: ["missing-bucket"] })).toBe("FILE_NOT_FOUND");
    });

    it("says when its keys are not accepted", async () => {
      const url = "s3://documents/nothing.txt";
      expect(await openObject(server, url, { secretAccessKey: "wrong" })).toBe("FETCH_DENIED");
      expect(await openObject(server, url, { accessKeyId: "wrong" })).toBe("FETCH_DENIED");
    });

    it("F16 reads no bucket that is not open, and none when none is", async () => {
      expect(await openObject(server, "s3://private/secret.txt")).toBe("FETCH_REFUSED");
      expect(await openObject(server, "s3://documents/empty", { buckets: [] })).toBe("FETCH_REFUSED");
    });
  });
}
