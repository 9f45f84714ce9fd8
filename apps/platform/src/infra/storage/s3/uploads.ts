import { AppError } from "@attune/service-kit/app-error.ts";
import type { CompleteOptions, ObjectDigest, ObjectStore, ObjectUpload, UploadedPart } from "../object-store.ts";
import { readBody } from "../read-body.ts";
import { assertPartNumber, assertWhole, limitPart } from "../upload-parts.ts";
import { copyObject } from "./copy-object.ts";
import { getObject } from "./get-object.ts";
import { assertStored, deleteName, md5Of, type S3Deps, toMetadata } from "./put-object.ts";

type Uploads = Pick<ObjectStore, "createUpload" | "putPart" | "listParts" | "abortUpload" | "completeUpload">;

/** An upload of S3 to a staged name; when it is complete it is read back, judged and copied to its place. */
export function createUploads(connect: () => Promise<S3Deps>): Uploads {
  return {
    createUpload: async (key, { signal, ...options } = {}) => {
      const { connection, names } = await connect();
      const staged = names.createStaged(key);
      const { sdk, bucket } = connection;
      const create = new sdk.CreateMultipartUploadCommand({ ...bucket, Key: staged, ...toMetadata(options) });
      const { UploadId = "" } = await connection.call((s3) => s3.send(create), signal);
      return names.toUpload(key, staged, UploadId);
    },
    putPart: async (upload, { partNumber, body, expected }, signal) => {
      assertPartNumber(partNumber);
      const { connection, names } = await connect();
      const { staged, s3UploadId } = names.parseUpload(upload);
      const reader = readBody(limitPart(body), expected, signal);
      const chunks: Uint8Array[] = [];
      for await (const chunk of reader.chunks) chunks.push(chunk);
      const { sizeBytes } = reader.finish();
      const { sdk, bucket } = connection;
      const Body = Buffer.concat(chunks);
      const target = { ...bucket, Key: staged, UploadId: s3UploadId, PartNumber: partNumber };
      const put = new sdk.UploadPartCommand({ ...target, Body, ContentMD5: md5Of(Body) });
      await connection.call((s3) => s3.send(put, signal === undefined ? {} : { abortSignal: signal }), signal);
      return { partNumber, sizeBytes };
    },
    listParts: async (upload, signal) => {
      const parts = await listS3Parts(await connect(), upload, signal);
      return parts.map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes }));
    },
    completeUpload: async (upload, options = {}) => complete(await connect(), upload, options),
    abortUpload: async (upload, signal) => {
      const { connection, names } = await connect();
      const { staged, s3UploadId } = names.parseUpload(upload);
      const { sdk, bucket } = connection;
      const abort = new sdk.AbortMultipartUploadCommand({ ...bucket, Key: staged, UploadId: s3UploadId });
      await connection
        .call((s3) => s3.send(abort), signal)
        .catch((error: unknown) => {
          if (!isUploadMissing(error)) throw error;
        });
      await deleteName(connection, staged, signal);
    },
  };
}

interface S3Part extends UploadedPart {
  readonly etag: string | undefined;
  readonly modifiedAt: Date | undefined;
}

export async function listS3Parts(
  { connection, names }: S3Deps,
  upload: ObjectUpload,
  signal?: AbortSignal,
): Promise<S3Part[]> {
  const { staged, s3UploadId } = names.parseUpload(upload);
  const { sdk, bucket } = connection;
  const parts: S3Part[] = [];
  let marker: string | undefined;
  do {
    const target = { ...bucket, Key: staged, UploadId: s3UploadId };
    const list = new sdk.ListPartsCommand({ ...target, ...(marker !== undefined && { PartNumberMarker: marker }) });
    const page = await connection.call((s3) => s3.send(list), signal);
    for (const { PartNumber = 0, Size = 0, ETag, LastModified } of page.Parts ?? []) {
      parts.push({ partNumber: PartNumber, sizeBytes: Size, etag: ETag, modifiedAt: LastModified });
    }
    marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return parts.sort((left, right) => left.partNumber - right.partNumber);
}

async function complete(deps: S3Deps, upload: ObjectUpload, options: CompleteOptions): Promise<ObjectDigest> {
  const { connection, names, inUse } = deps;
  const { staged } = names.parseUpload(upload);
  inUse.add(staged);
  try {
    await joinParts(deps, upload, options);
    const digest = await readBack(deps, staged, options);
    const name = names.toObject(upload.key);
    const { mediaType } = options;
    const copy = { source: staged, target: name, ...digest, ...(mediaType !== undefined && { mediaType }) };
    await copyObject(connection, copy, options.signal);
    await assertStored(connection, name, digest);
    // The object is there; what is left of the upload, the sweep takes.
    await deleteName(connection, staged).catch(() => {});
    return digest;
  } finally {
    inUse.delete(staged);
  }
}

async function joinParts(deps: S3Deps, upload: ObjectUpload, { expected, signal }: CompleteOptions): Promise<void> {
  const { connection, names } = deps;
  const { staged, s3UploadId } = names.parseUpload(upload);
  const { sdk, bucket } = connection;
  const parts = await listS3Parts(deps, upload, signal).catch((error: unknown) => {
    // Joined before, by a call that did not come to its end; without that, reading back fails.
    if (isUploadMissing(error)) return undefined;
    throw error;
  });
  if (parts === undefined) return;
  assertWhole(parts, expected);
  const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
  const target = { ...bucket, Key: staged, UploadId: s3UploadId };
  const end = new sdk.CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } });
  await connection.call((s3) => s3.send(end), signal);
}

async function readBack({ connection }: S3Deps, staged: string, options: CompleteOptions): Promise<ObjectDigest> {
  const { expected, signal } = options;
  try {
    const { stream } = await getObject(connection, staged, signal === undefined ? {} : { signal });
    const reader = readBody(stream, expected, signal);
    for await (const _ of reader.chunks);
    return reader.finish();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.reason === "STORAGE_OBJECT_NOT_FOUND") throw new AppError("STORAGE_UPLOAD_NOT_FOUND", {}, error);
    if (error.reason === "STORAGE_CHECKSUM_MISMATCH") await deleteName(connection, staged).catch(() => {});
    throw error;
  }
}

function isUploadMissing(error: unknown): boolean {
  return error instanceof AppError && error.reason === "STORAGE_UPLOAD_NOT_FOUND";
}
