import type { ObjectStoreDefinition } from "../object-store-definition.ts";
import { defaultS3Settings } from "./s3-connection.ts";
import { createS3Store, s3Facts } from "./s3-store.ts";

export const s3Definition: ObjectStoreDefinition = {
  ...s3Facts,
  findMissing: ({ s3: { bucket, accessKeyId, secretAccessKey } }) => {
    if (bucket === undefined) return "Set PLATFORM_S3_BUCKET.";
    const isHalf = (accessKeyId === undefined) !== (secretAccessKey === undefined);
    return isHalf ? "Set both PLATFORM_S3_ACCESS_KEY_ID and PLATFORM_S3_SECRET_ACCESS_KEY, or neither." : undefined;
  },
  create: async ({ s3: { bucket = "", ...settings } }) => createS3Store({ ...defaultS3Settings, ...settings, bucket }),
};
