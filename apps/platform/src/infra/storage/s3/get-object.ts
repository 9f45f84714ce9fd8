import { Readable } from "node:stream";
import type { GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { GetOptions, ObjectReading } from "../object-store.ts";
import { isWellFormedRange, type Span } from "../resolve-range.ts";
import type { S3Connection } from "./s3-connection.ts";
import { isConnectionLost, toS3Error } from "./to-s3-error.ts";

/** Connections that may break one after the other without this many bytes between them. */
const maxResumes = 3;
const progressBytes = 2 ** 20;

/** Opens an object. Where a connection breaks, the rest is asked for again, as long as the object is the same. */
export async function getObject(
  connection: S3Connection,
  name: string,
  { range, signal }: GetOptions,
): Promise<ObjectReading> {
  if (range !== undefined && !isWellFormedRange(range)) throw new AppError("STORAGE_RANGE_INVALID");
  const header = range === undefined ? undefined : `bytes=${range.firstByte}-${range.lastByte ?? ""}`;
  const first = await open(connection, { name, ...(header !== undefined && { header }), ...(signal && { signal }) });
  const { sizeBytes, span } = placeOf(first);
  // A server that ignores ranges, or has nothing to give.
  if (range !== undefined && (range.firstByte >= sizeBytes || span.start !== range.firstByte)) {
    bodyOf(first).destroy();
    throw new AppError("STORAGE_RANGE_INVALID", { detail: `It has ${sizeBytes} bytes.` });
  }
  return { sizeBytes, stream: toStream(connection, { name, span, first, ...(signal && { signal }) }) };
}

interface Request {
  readonly name: string;
  readonly header?: string;
  readonly etag?: string | undefined;
  readonly signal?: AbortSignal;
}

async function open(connection: S3Connection, { name, header, etag, signal }: Request) {
  const { sdk, bucket } = connection;
  const get = new sdk.GetObjectCommand({
    ...bucket,
    Key: name,
    ...(header !== undefined && { Range: header }),
    ...(etag !== undefined && { IfMatch: etag }),
  });
  return connection.call((s3) => s3.send(get, signal === undefined ? {} : { abortSignal: signal }), signal);
}

function placeOf({ ContentRange, ContentLength = 0 }: GetObjectCommandOutput) {
  const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? "") ?? [];
  if (total === undefined) return { sizeBytes: ContentLength, span: { start: 0, end: ContentLength } };
  return { sizeBytes: Number(total), span: { start: Number(start), end: Number(last) + 1 } };
}

interface Reading {
  readonly name: string;
  readonly span: Span;
  readonly first: GetObjectCommandOutput;
  readonly signal?: AbortSignal;
}

function toStream(connection: S3Connection, reading: Reading): Readable {
  const current = { body: bodyOf(reading.first) };
  const stream = Readable.from(readOn(connection, reading, current), { objectMode: false });
  // Also when nobody ever read from it.
  stream.once("close", () => current.body.destroy());
  return stream;
}

async function* readOn(connection: S3Connection, reading: Reading, current: { body: Readable }) {
  const { name, span, first, signal } = reading;
  let position = span.start;
  let resumedAt = span.start;
  let resumes = 0;
  while (position < span.end) {
    try {
      for await (const chunk of current.body as AsyncIterable<Buffer>) {
        position += chunk.length;
        yield chunk;
      }
      if (position >= span.end) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!isConnectionLost(error)) throw toS3Error(error);
    }
    if (position - resumedAt >= progressBytes) resumes = 0;
    if (++resumes > maxResumes) {
      throw new AppError("STORAGE_UNAVAILABLE", { detail: "The connection broke again and again." });
    }
    resumedAt = position;
    const header = `bytes=${position}-${span.end - 1}`;
    const next = await open(connection, { name, header, etag: first.ETag, ...(signal && { signal }) });
    current.body = bodyOf(next);
    if (placeOf(next).span.start !== position) throw new AppError("STORAGE_UNAVAILABLE");
  }
}

function bodyOf({ Body }: GetObjectCommandOutput): Readable {
  if (Body instanceof Readable) return Body;
  throw new AppError("STORAGE_UNAVAILABLE", { detail: "The server answered without content." });
}
