import { createHash } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ObjectBody, ObjectDigest, PutOptions } from "../object-store.ts";
import { type BodyReader, readBody } from "../read-body.ts";
import { copyObject } from "./copy-object.ts";
import { type BodyPart, cutParts } from "./cut-parts.ts";
import type { S3Connection } from "./s3-connection.ts";
import type { S3Names } from "./s3-names.ts";

export interface S3Deps {
  readonly connection: S3Connection;
  readonly names: S3Names;
  /** Staged objects that this process is at work on. */
  readonly inUse: Set<string>;
}

interface ObjectToPut extends PutOptions {
  readonly key: string;
  readonly body: ObjectBody;
}

/**
 * A body of one part is one request. A longer one is sent in parts, and becomes an object when all of it has come and is what
 * was expected. Metadata must be given before the content, so a body whose SHA-256 only the end tells is staged under
 * another name and then copied by the server.
 */
export async function putObject(deps: S3Deps, object: ObjectToPut): Promise<ObjectDigest> {
  const { connection, names } = deps;
  const { key, body, expected, signal } = object;
  const reader = readBody(body, expected, signal);
  const parts = cutParts(reader.chunks, connection.settings.partBytes, expected?.sizeBytes);
  const { value: first } = await parts.next();
  if (first === undefined) throw new AppError("INTERNAL");
  const name = names.toObject(key);
  if (first.isLast) return putWhole(deps, { ...object, name, bytes: first.bytes, reader });
  const rest = prepend(first, parts);
  const sha256 = expected?.sha256;
  if (sha256 !== undefined) {
    const digest = await sendParts(deps, { ...object, name, parts: rest, reader, sha256 });
    await assertStored(connection, name, digest);
    return digest;
  }
  return withStaged(deps, key, async (staged) => {
    const digest = await sendParts(deps, { ...object, name: staged, parts: rest, reader });
    await copyObject(connection, { source: staged, target: name, ...digest, ...mediaTypeOf(object) }, signal);
    await assertStored(connection, name, digest);
    return digest;
  });
}

/** What `work` leaves under a new staged name is removed, or left to the sweep. */
export async function withStaged<T>(deps: S3Deps, key: string, work: (staged: string) => Promise<T>): Promise<T> {
  const staged = deps.names.createStaged(key);
  deps.inUse.add(staged);
  try {
    return await work(staged);
  } finally {
    await deleteName(deps.connection, staged).catch(() => {});
    deps.inUse.delete(staged);
  }
}

/** One by one: of several at once some servers ask for a header that the SDK does not send. */
export async function deleteName(connection: S3Connection, name: string, signal?: AbortSignal): Promise<void> {
  const { sdk, bucket } = connection;
  const options = signal === undefined ? {} : { abortSignal: signal };
  try {
    await connection.call((s3) => s3.send(new sdk.DeleteObjectCommand({ ...bucket, Key: name }), options), signal);
  } catch (error) {
    if (!(error instanceof AppError && error.reason === "STORAGE_OBJECT_NOT_FOUND")) throw error;
  }
}

/** That the server holds what it said it stored, or what somebody else put in its place since. */
export async function assertStored(
  connection: S3Connection,
  name: string,
  { sizeBytes, sha256 }: ObjectDigest,
): Promise<void> {
  const { sdk, bucket } = connection;
  const ask = new sdk.HeadObjectCommand({ ...bucket, Key: name });
  const head = await connection
    .call((s3) => s3.send(ask))
    .catch((error: unknown) => {
      if (error instanceof AppError && error.reason === "STORAGE_OBJECT_NOT_FOUND") return undefined;
      throw error;
    });
  const held = head?.Metadata?.["sha256"];
  if (held !== undefined && (held !== sha256 || head?.ContentLength === sizeBytes)) return;
  throw new AppError("STORAGE_UNAVAILABLE", {
    detail: "The server confirmed an object that it does not hold as sent.",
  });
}

interface WholeObject extends ObjectToPut {
  readonly name: string;
  readonly bytes: Buffer;
  readonly reader: BodyReader;
}

async function putWhole({ connection }: S3Deps, object: WholeObject): Promise<ObjectDigest> {
  const { name, bytes, reader, signal } = object;
  const { sdk, bucket } = connection;
  const digest = reader.finish();
  const input = { ...bucket, Key: name, Body: bytes, ContentMD5: md5Of(bytes), ...toMetadata(object, digest.sha256) };
  const options = signal === undefined ? {} : { abortSignal: signal };
  await connection.call((s3) => s3.send(new sdk.PutObjectCommand(input), options), signal);
  await assertStored(connection, name, digest);
  return digest;
}

interface PartsToSend extends ObjectToPut {
  readonly name: string;
  readonly parts: AsyncIterable<BodyPart>;
  readonly reader: BodyReader;
  readonly sha256?: string;
}

async function sendParts({ connection }: S3Deps, object: PartsToSend): Promise<ObjectDigest> {
  const { name, parts, reader, sha256, signal } = object;
  const { sdk, bucket, settings } = connection;
  const target = { ...bucket, Key: name };
  const start = new sdk.CreateMultipartUploadCommand({ ...target, ...toMetadata(object, sha256) });
  const { UploadId } = await connection.call((s3) => s3.send(start), signal);
  const stop = new AbortController();
  const sending = new Set<Promise<void>>();
  const sent: { PartNumber: number; ETag: string | undefined }[] = [];
  const send = async ({ partNumber: PartNumber, bytes }: BodyPart) => {
    const input = { ...target, UploadId, PartNumber, Body: bytes, ContentMD5: md5Of(bytes) };
    const abortSignal = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
    const command = new sdk.UploadPartCommand(input);
    const { ETag } = await connection.call((s3) => s3.send(command, { abortSignal }), abortSignal);
    sent.push({ PartNumber, ETag });
  };
  try {
    for await (const part of parts) {
      const one = send(part).finally(() => sending.delete(one));
      one.catch(() => {});
      sending.add(one);
      if (sending.size >= settings.partsAtOnce) await Promise.race(sending);
    }
    await Promise.all(sending);
    const digest = reader.finish();
    const MultipartUpload = { Parts: sent.sort((left, right) => left.PartNumber - right.PartNumber) };
    const end = new sdk.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload });
    await connection.call((s3) => s3.send(end), signal);
    return digest;
  } catch (error) {
    stop.abort();
    // A part that arrives after the upload was aborted would stay.
    await Promise.allSettled(sending);
    const abort = new sdk.AbortMultipartUploadCommand({ ...target, UploadId });
    await connection.call((s3) => s3.send(abort)).catch(() => {});
    throw error;
  }
}

async function* prepend(first: BodyPart, rest: AsyncIterable<BodyPart>): AsyncGenerator<BodyPart> {
  yield first;
  yield* rest;
}

export function toMetadata(object: { readonly mediaType?: string }, sha256?: string) {
  const { mediaType } = object;
  return {
    ...(mediaType !== undefined && { ContentType: mediaType }),
    ...(sha256 !== undefined && { Metadata: { sha256 } }),
  };
}

const mediaTypeOf = ({ mediaType }: PutOptions) => (mediaType === undefined ? {} : { mediaType });

/** With it the server itself finds bytes that were damaged on the way. */
export const md5Of = (bytes: Uint8Array): string => createHash("md5").update(bytes).digest("base64");
