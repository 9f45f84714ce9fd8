import {
  answerError,
  answerXml,
  cutPage,
  escapeXml,
  type FakeAnswer,
  type FakeRequest,
} from "./s3-fixture-fake-bucket.ts";

/** ListObjectsV2 without delimiters. */
export function listObjects({ bucket, query, bucketName }: FakeRequest): FakeAnswer {
  if (query.get("list-type") !== "2" || query.has("delimiter")) return answerError(501, "NotImplemented");
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
  const prefix = query.get("prefix") ?? "";
  const found = [...bucket.objects]
    .filter(([name]) => name.startsWith(prefix) && compare(name, after) > 0)
    .sort(([left], [right]) => compare(left, right));
  const { page, isTruncated } = cutPage(found, query.get("max-keys"));
  const contents = page.map(([name, { body, etag, modifiedAt }]) =>
    [
      `<Contents><Key>${escapeXml(name)}</Key><LastModified>${modifiedAt.toISOString()}</LastModified>`,
      `<ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
    ].join(""),
  );
  const next = isTruncated ? Buffer.from(page.at(-1)?.[0] ?? "").toString("base64url") : undefined;
  return answerXml(
    [
      `<ListBucketResult xmlns="${namespace}"><Name>${bucketName}</Name><Prefix>${escapeXml(prefix)}</Prefix>`,
      `<KeyCount>${page.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>`,
      next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`,
      ...contents,
      "</ListBucketResult>",
    ].join(""),
  );
}

/** ListMultipartUploads. */
export function listUploads({ bucket, query, bucketName }: FakeRequest): FakeAnswer {
  const [prefix, keyMarker] = [query.get("prefix") ?? "", query.get("key-marker") ?? ""];
  const idMarker = query.get("upload-id-marker") ?? "";
  const isAfter = (name: string, id: string) =>
    compare(name, keyMarker) > 0 || (name === keyMarker && idMarker !== "" && compare(id, idMarker) > 0);
  const found = [...bucket.uploads.values()]
    .filter(({ name, uploadId }) => name.startsWith(prefix) && isAfter(name, uploadId))
    .sort((left, right) => compare(left.name, right.name) || compare(left.uploadId, right.uploadId));
  const { page, isTruncated } = cutPage(found, query.get("max-uploads"));
  const last = page.at(-1);
  const uploads = page.map(({ name, uploadId, startedAt }) =>
    [
      `<Upload><Key>${escapeXml(name)}</Key><UploadId>${uploadId}</UploadId>`,
      `<Initiated>${startedAt.toISOString()}</Initiated></Upload>`,
    ].join(""),
  );
  return answerXml(
    [
      `<ListMultipartUploadsResult xmlns="${namespace}"><Bucket>${bucketName}</Bucket>`,
      `<IsTruncated>${isTruncated}</IsTruncated>`,
      isTruncated ? `<NextKeyMarker>${escapeXml(last?.name ?? "")}</NextKeyMarker>` : "",
      isTruncated ? `<NextUploadIdMarker>${last?.uploadId}</NextUploadIdMarker>` : "",
      ...uploads,
      "</ListMultipartUploadsResult>",
    ].join(""),
  );
}

export const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

const compare = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
