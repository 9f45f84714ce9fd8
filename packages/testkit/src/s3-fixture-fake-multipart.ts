import {
  answerError,
  answerXml,
  createUploadId,
  cutPage,
  describeBody,
  escapeXml,
  type FakeAnswer,
  type FakeRequest,
  type FakeUpload,
  md5Of,
  type StoredObject,
  toStoredObject,
} from "./s3-fixture-fake-bucket.ts";
import { namespace } from "./s3-fixture-fake-listing.ts";

const minPartBytes = 5 * 2 ** 20;

/** CreateMultipartUpload. */
export function createUpload({ bucket, bucketName, name, headers }: FakeRequest): FakeAnswer {
  const uploadId = createUploadId();
  bucket.uploads.set(uploadId, { name, uploadId, startedAt: new Date(), ...describeBody(headers), parts: new Map() });
  const address = `<Bucket>${bucketName}</Bucket><Key>${escapeXml(name)}</Key>`;
  return answerXml(
    `<InitiateMultipartUploadResult xmlns="${namespace}">${address}<UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
  );
}

/** Whatever concerns one upload that was begun; `copied` is what UploadPartCopy names. */
export function answerUpload(request: FakeRequest, copied?: Buffer | FakeAnswer): FakeAnswer {
  if (copied !== undefined && !Buffer.isBuffer(copied)) return copied;
  const { bucket, query, name, method } = request;
  const upload = bucket.uploads.get(query.get("uploadId") ?? "");
  if (upload === undefined || upload.name !== name) return answerError(404, "NoSuchUpload");
  if (method === "PUT") return putPart(request, upload, copied);
  if (method === "GET") return listParts(request, upload);
  if (method === "POST") return complete(request, upload);
  bucket.uploads.delete(upload.uploadId);
  return { status: 204 };
}

function putPart({ query, body }: FakeRequest, upload: FakeUpload, copied: Buffer | undefined): FakeAnswer {
  const partNumber = Number(query.get("partNumber"));
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > 10_000)
    return answerError(400, "InvalidArgument");
  const part = toStoredObject(copied ?? body, upload);
  upload.parts.set(partNumber, part);
  if (copied === undefined) return { status: 200, headers: { etag: part.etag } };
  const times = `<LastModified>${part.modifiedAt.toISOString()}</LastModified>`;
  return answerXml(`<CopyPartResult>${times}<ETag>${escapeXml(part.etag)}</ETag></CopyPartResult>`);
}

function listParts({ query, bucketName, name }: FakeRequest, upload: FakeUpload): FakeAnswer {
  const marker = Number(query.get("part-number-marker") ?? 0);
  const found = [...upload.parts].filter(([number]) => number > marker).sort(([left], [right]) => left - right);
  const { page, isTruncated } = cutPage(found, query.get("max-parts"));
  const parts = page.map(([number, { body, etag, modifiedAt }]) =>
    [
      `<Part><PartNumber>${number}</PartNumber><LastModified>${modifiedAt.toISOString()}</LastModified>`,
      `<ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size></Part>`,
    ].join(""),
  );
  return answerXml(
    [
      `<ListPartsResult xmlns="${namespace}"><Bucket>${bucketName}</Bucket><Key>${escapeXml(name)}</Key>`,
      `<UploadId>${upload.uploadId}</UploadId><IsTruncated>${isTruncated}</IsTruncated>`,
      isTruncated ? `<NextPartNumberMarker>${page.at(-1)?.[0]}</NextPartNumberMarker>` : "",
      ...parts,
      "</ListPartsResult>",
    ].join(""),
  );
}

function complete({ bucket, bucketName, name, body }: FakeRequest, upload: FakeUpload): FakeAnswer {
  const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
    number: Number(/<PartNumber>(\d+)<\/PartNumber>/.exec(part)?.[1]),
    etag: (/<ETag>(.*?)<\/ETag>/s.exec(part)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll('"', ""),
  }));
  if (named.length === 0) return answerError(400, "MalformedXML");
  if (named.some(({ number }, index) => number <= (named[index - 1]?.number ?? 0))) {
    return answerError(400, "InvalidPartOrder");
  }
  const parts: StoredObject[] = [];
  for (const { number, etag } of named) {
    const part = upload.parts.get(number);
    if (part === undefined || part.etag.replaceAll('"', "") !== etag) return answerError(400, "InvalidPart");
    parts.push(part);
  }
  if (parts.slice(0, -1).some((part) => part.body.length < minPartBytes)) return answerError(400, "EntityTooSmall");
  const joined = toStoredObject(Buffer.concat(parts.map((part) => part.body)), upload);
  const digest = md5Of(Buffer.concat(parts.map((part) => md5Of(part.body)))).toString("hex");
  const etag = `"${digest}-${parts.length}"`;
  bucket.objects.set(name, { ...joined, etag });
  bucket.uploads.delete(upload.uploadId);
  const address = `<Bucket>${bucketName}</Bucket><Key>${escapeXml(name)}</Key><ETag>${escapeXml(etag)}</ETag>`;
  return answerXml(`<CompleteMultipartUploadResult xmlns="${namespace}">${address}</CompleteMultipartUploadResult>`);
}
