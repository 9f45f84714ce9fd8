import { randomBytes, randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { AppError } from "@attune/service-kit/app-error.ts";
import { toContentDisposition } from "../content-disposition.ts";
import { findCompleted } from "../find-completed.ts";
import { assertObjectKey } from "../object-key.ts";
import type { ObjectHead, ObjectStore, SignedLink, StoreAvailability } from "../object-store.ts";
import { copyObject } from "./copy-object.ts";
import { getObject } from "./get-object.ts";
import { listNames } from "./list-names.ts";
import { deleteName, md5Of, putObject, type S3Deps } from "./put-object.ts";
import { connectToS3, type S3Connection, type S3StoreSettings } from "./s3-connection.ts";
import { createS3Names } from "./s3-names.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";
import { statusOf } from "./to-s3-error.ts";
import { createUploads } from "./uploads.ts";

export const s3Facts = {
  name: "s3",
  description: "A bucket of Amazon S3, or of a server that speaks its protocol, such as MinIO.",
  isShared: true,
} as const;

const probeTimeoutMs = 5_000;

/** The SDK is loaded, and the server asked, when the store is first used. */
export function createS3Store(settings: S3StoreSettings): ObjectStore {
  const names = createS3Names(settings.prefix);
  const inUse = new Set<string>();
  let loading: Promise<S3Connection> | undefined;
  const connect = async (key?: string): Promise<S3Deps> => {
    if (key !== undefined) assertObjectKey(key);
    loading ??= connectToS3(settings);
    return { connection: await loading, names, inUse };
  };
  const objects = createObjectCalls(connect);
  const uploads = createUploads(() => connect());
  return {
    ...s3Facts,
    ...objects,
    ...uploads,
    ...createLinkCalls(connect),
    createUpload: async (key, options) => {
      assertObjectKey(key);
      return uploads.createUpload(key, options);
    },
    completeUpload: (upload, options = {}) =>
      uploads
        .completeUpload(upload, options)
        .catch((error: unknown) => findCompleted(objects, { ...options, key: upload.key }, error)),
    probe: async (signal) => probe(await connect(), signal),
    sweep: async (options) => sweepLeftovers(await connect(), options),
    close: async () => {
      const connection = await loading;
      connection?.client.destroy();
      connection?.linkClient.destroy();
    },
  };
}

type Connect = (key?: string) => Promise<S3Deps>;
type ObjectCalls = Pick<ObjectStore, "put" | "get" | "head" | "exists" | "delete" | "copy" | "list">;

function createObjectCalls(connect: Connect): ObjectCalls {
  const head: ObjectStore["head"] = async (key, signal) => findHead(await connect(key), key, signal);
  return {
    head,
    exists: async (key, signal) => (await head(key, signal)) !== undefined,
    put: async (key, body, options = {}) => putObject(await connect(key), { key, body, ...options }),
    get: async (key, options = {}) => {
      const { connection, names } = await connect(key);
      return getObject(connection, names.toObject(key), options);
    },
    delete: async (key, signal) => {
      const { connection, names } = await connect(key);
      await deleteName(connection, names.toObject(key), signal);
    },
    copy: async (sourceKey, targetKey, signal) => {
      const { connection, names } = await connect(sourceKey);
      assertObjectKey(targetKey);
      const source = await findHead({ connection, names }, sourceKey, signal);
      if (source === undefined) throw new AppError("STORAGE_OBJECT_NOT_FOUND");
      const addresses = { source: names.toObject(sourceKey), target: names.toObject(targetKey) };
      await copyObject(connection, { ...addresses, ...source }, signal);
    },
    list: async function* (prefix, { startAfter, ...options } = {}) {
      const { connection, names } = await connect();
      const start = startAfter === undefined ? {} : { startAfter: names.toObject(startAfter) };
      for await (const { name, ...entry } of listNames(connection, {
        prefix: names.toObject(prefix),
        ...start,
        ...options,
      })) {
        yield { key: names.toKey(name), ...entry };
      }
    },
  };
}

async function findHead(
  { connection, names }: Pick<S3Deps, "connection" | "names">,
  key: string,
  signal?: AbortSignal,
): Promise<(ObjectHead & { readonly mediaType?: string }) | undefined> {
  const { sdk, bucket } = connection;
  const ask = new sdk.HeadObjectCommand({ ...bucket, Key: names.toObject(key) });
  try {
    const head = await connection.call((s3) => s3.send(ask), signal);
    const { ContentLength = 0, LastModified = new Date(0), ContentType, Metadata = {} } = head;
    const { sha256 } = Metadata;
    return {
      sizeBytes: ContentLength,
      modifiedAt: LastModified,
      ...(sha256 !== undefined && { sha256 }),
      ...(ContentType !== undefined && { mediaType: ContentType }),
    };
  } catch (error) {
    if (!(error instanceof AppError && error.reason === "STORAGE_OBJECT_NOT_FOUND")) throw error;
    await assertBucket(connection, signal);
    return undefined;
  }
}

// An answer to HEAD has no body that tells a missing object from a missing bucket.
async function assertBucket(connection: S3Connection, signal?: AbortSignal): Promise<void> {
  const { sdk, bucket, client } = connection;
  try {
    await client.send(new sdk.HeadBucketCommand(bucket), signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    // Who may use the objects need not be allowed to ask for the bucket.
    if (statusOf(error) === 403) return;
    const missing = "The bucket does not exist (PLATFORM_S3_BUCKET).";
    throw new AppError("STORAGE_UNAVAILABLE", statusOf(error) === 404 ? { detail: missing } : {}, error);
  }
}

function createLinkCalls(connect: Connect): Pick<ObjectStore, "signGet" | "signPut"> {
  const toExpiry = (seconds: number) => new Date(Date.now() + seconds * 1000);
  return {
    signGet: async (key, { expiresInSeconds, fileName, mediaType }): Promise<SignedLink> => {
      const { connection, names } = await connect(key);
      const { sdk, bucket, linkClient } = connection;
      const get = new sdk.GetObjectCommand({
        ...bucket,
        Key: names.toObject(key),
        ResponseContentDisposition: toContentDisposition(fileName ?? key.split("/").at(-1) ?? ""),
        ResponseContentType: mediaType ?? "application/octet-stream",
      });
      const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
      const expiresAt = toExpiry(expiresInSeconds);
      return { url: await getSignedUrl(linkClient, get, { expiresIn: expiresInSeconds }), expiresAt };
    },
    signPut: async (key, { expiresInSeconds, sizeBytes }): Promise<SignedLink> => {
      const { connection, names } = await connect(key);
      const { sdk, bucket, linkClient } = connection;
      const put = new sdk.PutObjectCommand({ ...bucket, Key: names.toObject(key), ContentLength: sizeBytes });
      const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner");
      const signed = { expiresIn: expiresInSeconds, signableHeaders: new Set(["host", "content-length"]) };
      const expiresAt = toExpiry(expiresInSeconds);
      return { url: await getSignedUrl(linkClient, put, signed), expiresAt };
    },
  };
}

/** A small object is written, read back and removed, under a name of its own. */
async function probe({ connection, names }: S3Deps, signal?: AbortSignal): Promise<StoreAvailability> {
  const limit = AbortSignal.timeout(probeTimeoutMs);
  const abortSignal = signal === undefined ? limit : AbortSignal.any([limit, signal]);
  const { sdk, bucket } = connection;
  const name = `${names.staging}probe-${randomUUID()}`;
  const Body = randomBytes(32);
  try {
    const put = new sdk.PutObjectCommand({ ...bucket, Key: name, Body, ContentMD5: md5Of(Body) });
    await connection.call((s3) => s3.send(put, { abortSignal }), abortSignal);
    const found = await getObject(connection, name, { signal: abortSignal });
    const isSame = (await buffer(found.stream)).equals(Body);
    await deleteName(connection, name, abortSignal);
    if (!isSame) throw new AppError("STORAGE_OBJECT_DAMAGED");
    return { isAvailable: true };
  } catch (error) {
    const silent = "The object store did not answer within 5 seconds.";
    return { isAvailable: false, unavailableReason: error instanceof AppError ? error.message : silent };
  }
}
