import type { CompletedPart } from "@aws-sdk/client-s3";
import type { S3Connection } from "./s3-connection.ts";

export interface ObjectToCopy {
  /** Names in the bucket. */
  readonly source: string;
  readonly target: string;
  readonly sizeBytes: number;
  readonly sha256?: string;
  readonly mediaType?: string;
}

/** Lets the server copy; of an object too large for one request, part by part. */
export async function copyObject(connection: S3Connection, object: ObjectToCopy, signal?: AbortSignal): Promise<void> {
  const { sdk, bucket, settings } = connection;
  const { target, sizeBytes, sha256, mediaType } = object;
  const metadata = {
    ...(sha256 !== undefined && { Metadata: { sha256 } }),
    ...(mediaType !== undefined && { ContentType: mediaType }),
  };
  if (sizeBytes > settings.maxCopyBytes) return copyInParts(connection, { ...object, metadata }, signal);
  const copy = new sdk.CopyObjectCommand({
    ...bucket,
    Key: target,
    CopySource: toCopySource(connection, object),
    MetadataDirective: "REPLACE",
    ...metadata,
  });
  await connection.call((s3) => s3.send(copy, signal === undefined ? {} : { abortSignal: signal }), signal);
}

interface PartedCopy extends ObjectToCopy {
  readonly metadata: object;
}

async function copyInParts(connection: S3Connection, object: PartedCopy, signal?: AbortSignal): Promise<void> {
  const { sdk, bucket, settings } = connection;
  const target = { ...bucket, Key: object.target };
  const start = new sdk.CreateMultipartUploadCommand({ ...target, ...object.metadata });
  const { UploadId } = await connection.call((s3) => s3.send(start), signal);
  const Parts: CompletedPart[] = [];
  try {
    const partBytes = settings.maxCopyBytes;
    for (let from = 0; from < object.sizeBytes; from += partBytes) {
      const PartNumber = Parts.length + 1;
      const CopySourceRange = `bytes=${from}-${Math.min(from + partBytes, object.sizeBytes) - 1}`;
      const CopySource = toCopySource(connection, object);
      const copy = new sdk.UploadPartCopyCommand({ ...target, UploadId, PartNumber, CopySource, CopySourceRange });
      const { CopyPartResult } = await connection.call((s3) => s3.send(copy), signal);
      Parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
    }
    const end = new sdk.CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } });
    await connection.call((s3) => s3.send(end), signal);
  } catch (error) {
    await connection
      .call((s3) => s3.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId })))
      .catch(() => {});
    throw error;
  }
}

function toCopySource({ settings }: S3Connection, { source }: ObjectToCopy): string {
  return [settings.bucket, ...source.split("/")].map(encodeURIComponent).join("/");
}
