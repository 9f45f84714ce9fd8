import {
  answerError,
  answerXml,
  describeBody,
  escapeXml,
  type FakeAnswer,
  type FakeBucket,
  type FakeRequest,
  toStoredObject,
} from "./s3-fixture-fake-bucket.ts";

/** PutObject. */
export function putObject({ bucket, name, headers, body }: FakeRequest): FakeAnswer {
  const object = toStoredObject(body, describeBody(headers));
  bucket.objects.set(name, object);
  return { status: 200, headers: { etag: object.etag } };
}

/** GetObject and HeadObject. */
export function getObject({ bucket, name, headers, query }: FakeRequest): FakeAnswer {
  const object = bucket.objects.get(name);
  if (object === undefined) return answerError(404, "NoSuchKey");
  const { body, contentType, etag, modifiedAt, metadata } = object;
  if ((headers["if-match"] ?? etag) !== etag) return answerError(412, "PreconditionFailed");
  const part = findPart(body, headers["range"]);
  if (part === undefined) return answerError(416, "InvalidRange");
  const disposition = query.get("response-content-disposition");
  const facts = {
    "content-type": query.get("response-content-type") ?? contentType,
    "content-length": part.bytes.length,
    etag,
    "last-modified": modifiedAt.toUTCString(),
    "accept-ranges": "bytes",
    ...(disposition !== null && { "content-disposition": disposition }),
  };
  return { status: part.status, headers: { ...facts, ...metadata, ...part.headers }, body: part.bytes };
}

/** CopyObject. */
export function copyObject(request: FakeRequest, buckets: ReadonlyMap<string, FakeBucket>): FakeAnswer {
  const { bucket, name, headers } = request;
  const source = findSource(headers, buckets);
  if (source === undefined) return answerError(404, "NoSuchKey");
  const isReplaced = headers["x-amz-metadata-directive"] === "REPLACE";
  const object = toStoredObject(source.body, isReplaced ? describeBody(headers) : source);
  bucket.objects.set(name, object);
  const times = `<LastModified>${object.modifiedAt.toISOString()}</LastModified>`;
  return answerXml(`<CopyObjectResult>${times}<ETag>${escapeXml(object.etag)}</ETag></CopyObjectResult>`);
}

/** The bytes that UploadPartCopy takes; an answer when there are none. */
export function findCopiedBytes(
  { headers }: FakeRequest,
  buckets: ReadonlyMap<string, FakeBucket>,
): Buffer | FakeAnswer {
  const source = findSource(headers, buckets);
  if (source === undefined) return answerError(404, "NoSuchKey");
  return findPart(source.body, headers["x-amz-copy-source-range"])?.bytes ?? answerError(416, "InvalidRange");
}

function findSource(headers: FakeRequest["headers"], buckets: ReadonlyMap<string, FakeBucket>) {
  const source = decodeURIComponent(headers["x-amz-copy-source"] ?? "").replace(/^\//, "");
  const at = source.indexOf("/");
  return buckets.get(source.slice(0, at))?.objects.get(source.slice(at + 1));
}

function findPart(body: Buffer, header: string | undefined) {
  const [, from, to = ""] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? [];
  if (from === undefined) return { status: 200, bytes: body, headers: {} };
  const first = Number(from);
  const last = Math.min(to === "" ? Infinity : Number(to), body.length - 1);
  if (first > last) return undefined;
  const headers = { "content-range": `bytes ${first}-${last}/${body.length}` };
  return { status: 206, bytes: body.subarray(first, last + 1), headers };
}
