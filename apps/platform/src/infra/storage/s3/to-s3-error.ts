import { AppError, type Reason } from "@attune/service-kit/app-error.ts";

/** A failure of the S3 client as a reason; what the server said stays in the cause. */
export function toS3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const [reason, detail] = byName[nameOf(error)] ?? byStatus(statusOf(error));
  return new AppError(reason, detail === undefined ? {} : { detail }, error);
}

/** Whether the connection broke or fell silent, so that the rest of the object may be asked for again. */
export function isConnectionLost(error: unknown): boolean {
  return !(error instanceof AppError) && statusOf(error) === undefined && byName[nameOf(error)] === undefined;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  return (error.$metadata as { readonly httpStatusCode?: number } | undefined)?.httpStatusCode;
}

type Outcome = readonly [reason: Reason, detail?: string];

const full: Outcome = ["STORAGE_FULL"];
const otherRegion: Outcome = ["STORAGE_UNAVAILABLE", "The bucket lies in another region (PLATFORM_S3_REGION)."];
const broken: Outcome = ["STORAGE_UNAVAILABLE", "The bytes arrived damaged."];

const byName: Readonly<Record<string, Outcome>> = {
  NoSuchKey: ["STORAGE_OBJECT_NOT_FOUND"],
  NotFound: ["STORAGE_OBJECT_NOT_FOUND"],
  NoSuchBucket: ["STORAGE_UNAVAILABLE", "The bucket does not exist (PLATFORM_S3_BUCKET)."],
  NoSuchUpload: ["STORAGE_UPLOAD_NOT_FOUND"],
  EntityTooSmall: ["STORAGE_UPLOAD_INVALID", "A part is too small."],
  InvalidPart: ["STORAGE_UPLOAD_INVALID", "A part was replaced while the upload was completed."],
  InvalidPartOrder: ["STORAGE_UPLOAD_INVALID"],
  InvalidRange: ["STORAGE_RANGE_INVALID"],
  AccessDenied: ["STORAGE_DENIED"],
  InvalidAccessKeyId: ["STORAGE_DENIED", "It does not know the access key (PLATFORM_S3_ACCESS_KEY_ID)."],
  SignatureDoesNotMatch: ["STORAGE_DENIED", "It does not accept the secret key (PLATFORM_S3_SECRET_ACCESS_KEY)."],
  ExpiredToken: ["STORAGE_DENIED", "The credentials have expired."],
  RequestTimeTooSkewed: ["STORAGE_DENIED", "The clocks of this machine and of the store differ by minutes."],
  CredentialsProviderError: ["STORAGE_DENIED", "There are no credentials (PLATFORM_S3_ACCESS_KEY_ID)."],
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  PreconditionFailed: ["STORAGE_UNAVAILABLE", "The object was replaced while it was read."],
  TimeoutError: ["STORAGE_UNAVAILABLE", "The server fell silent."],
  BadDigest: broken,
  InvalidDigest: broken,
  XAmzContentSHA256Mismatch: broken,
  QuotaExceeded: full,
  InsufficientStorage: full,
  StorageFull: full,
  XMinioStorageFull: full,
  XMinioAdminBucketQuotaExceeded: full,
  EntityTooLarge: ["STORAGE_FULL", "The object is larger than the store takes."],
};

function byStatus(status: number | undefined): Outcome {
  if (status === undefined) return ["STORAGE_UNAVAILABLE", "The server could not be reached."];
  if (status === 404) return ["STORAGE_OBJECT_NOT_FOUND"];
  if (status === 401 || status === 403) return ["STORAGE_DENIED"];
  if (status === 416) return ["STORAGE_RANGE_INVALID"];
  if (status === 507) return full;
  if (status === 301 || status === 307) return otherRegion;
  return ["STORAGE_UNAVAILABLE", `The server answered ${status}.`];
}
