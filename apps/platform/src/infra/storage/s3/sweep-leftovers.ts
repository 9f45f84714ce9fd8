import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from "@aws-sdk/client-s3";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { SweepOptions, SweepReport } from "../object-store.ts";
import { listNames } from "./list-names.ts";
import { deleteName, type S3Deps } from "./put-object.ts";
import type { S3Connection } from "./s3-connection.ts";

/** Staged objects, and uploads of which no part has come for that long. */
export async function sweepLeftovers(deps: S3Deps, { olderThanMs, signal }: SweepOptions): Promise<SweepReport> {
  const { connection, names, inUse } = deps;
  const endMs = Date.now() - olderThanMs;
  let removedCount = 0;
  for await (const { name, modifiedAt } of listNames(connection, {
    prefix: names.staging,
    ...(signal && { signal }),
  })) {
    if (inUse.has(name) || modifiedAt.getTime() > endMs) continue;
    await deleteName(connection, name, signal);
    removedCount++;
  }
  const { sdk, bucket } = connection;
  for (const { name, uploadId, startedAtMs } of await listUploads(connection, names.prefix, signal)) {
    if (startedAtMs > endMs || inUse.has(name)) continue;
    const upload = { ...bucket, Key: name, UploadId: uploadId };
    if ((await findLastPartMs(connection, upload)) > endMs) continue;
    await connection.call((s3) => s3.send(new sdk.AbortMultipartUploadCommand(upload)), signal).catch(ignoreMissing);
    removedCount++;
  }
  return { removedCount };
}

interface StartedUpload {
  readonly name: string;
  readonly uploadId: string;
  readonly startedAtMs: number;
}

async function listUploads(connection: S3Connection, prefix: string, signal?: AbortSignal): Promise<StartedUpload[]> {
  const { sdk, bucket } = connection;
  const uploads: StartedUpload[] = [];
  let marker: Pick<ListMultipartUploadsCommandInput, "KeyMarker" | "UploadIdMarker"> = {};
  for (;;) {
    const list = new sdk.ListMultipartUploadsCommand({ ...bucket, Prefix: prefix, ...marker });
    const page: ListMultipartUploadsCommandOutput = await connection.call((s3) => s3.send(list), signal);
    for (const { Key = "", UploadId = "", Initiated } of page.Uploads ?? []) {
      uploads.push({ name: Key, uploadId: UploadId, startedAtMs: Initiated?.getTime() ?? Infinity });
    }
    if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return uploads;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

interface UploadName {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string;
}

/** Of the last parts, which come last as a rule; minus infinity when none has come. */
async function findLastPartMs(connection: S3Connection, upload: UploadName): Promise<number> {
  const { sdk } = connection;
  let latestMs = -Infinity;
  let marker: string | undefined;
  do {
    const list = new sdk.ListPartsCommand({ ...upload, ...(marker !== undefined && { PartNumberMarker: marker }) });
    const page = await connection.call((s3) => s3.send(list)).catch(ignoreMissing);
    for (const { LastModified } of page?.Parts ?? []) latestMs = Math.max(latestMs, LastModified?.getTime() ?? 0);
    marker = page?.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return latestMs;
}

// Completed or aborted meanwhile.
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof AppError && error.reason === "STORAGE_UPLOAD_NOT_FOUND")) throw error;
  return undefined;
}
