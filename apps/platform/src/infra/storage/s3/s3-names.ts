import { createHash, randomUUID } from "node:crypto";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ObjectUpload } from "../object-store.ts";

/** Names in the bucket, which are longer than the keys of the store. */
export interface S3Names {
  readonly prefix: string;
  readonly objects: string;
  readonly staging: string;
  toObject(key: string): string;
  toKey(objectName: string): string;
  /** A new name for content that is not yet known to be right, or not yet whole. */
  createStaged(key: string): string;
  toUpload(key: string, staged: string, s3UploadId: string): ObjectUpload;
  /** @throws AppError `STORAGE_UPLOAD_NOT_FOUND` when the id was not made for this key. */
  parseUpload(upload: ObjectUpload): { readonly staged: string; readonly s3UploadId: string };
}

export function createS3Names(prefix: string): S3Names {
  const [objects, staging] = [`${prefix}objects/`, `${prefix}staging/`];
  return {
    prefix,
    objects,
    staging,
    toObject: (key) => `${objects}${key}`,
    toKey: (objectName) => objectName.slice(objects.length),
    createStaged: (key) => `${staging}${randomUUID()}-${fingerprint(key)}`,
    toUpload: (key, staged, s3UploadId) => ({ key, uploadId: `${staged.slice(staging.length)}:${s3UploadId}` }),
    parseUpload: ({ key, uploadId }) => {
      const [, name, print, s3UploadId] = /^([0-9a-f-]{36}-([0-9a-f]{16})):(.+)$/.exec(uploadId) ?? [];
      if (name === undefined || s3UploadId === undefined || print !== fingerprint(key)) {
        throw new AppError("STORAGE_UPLOAD_NOT_FOUND");
      }
      return { staged: `${staging}${name}`, s3UploadId };
    },
  };
}

const fingerprint = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 16);
