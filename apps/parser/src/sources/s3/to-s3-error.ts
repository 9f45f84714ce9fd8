import { AppError, type Reason } from "@attune/service-kit/app-error.ts";

/** A failure of the S3 client as a reason; what the server said stays in the cause. */
export function toS3Error(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const name = error instanceof Error ? error.name : "";
  const [reason, detail] = byName[name] ?? byStatus(statusOf(error));
  return new AppError(reason, detail === undefined ? {} : { detail }, error);
}

/** Whether the connection broke, so that the rest of the object may be asked for again. */
export function isConnectionLost(error: unknown): boolean {
  return !(error instanceof AppError) && statusOf(error) === undefined && !(nameOf(error) in byName);
}

type Outcome = readonly [reason: Reason, detail?: string];

const byName: Readonly<Record<string, Outcome>> = {
  NoSuchKey: ["FILE_NOT_FOUND"],
  NoSuchBucket: ["FILE_NOT_FOUND", "The bucket does not exist."],
  NotFound: ["FILE_NOT_FOUND"],
  AccessDenied: ["FETCH_DENIED"],
  InvalidAccessKeyId: ["FETCH_DENIED", "The S3 server does not know the access key of this service."],
  SignatureDoesNotMatch: ["FETCH_DENIED", "The S3 server does not accept the secret key of this service."],
  ExpiredToken: ["FETCH_DENIED", "The S3 credentials of this service have expired."],
  CredentialsProviderError: ["FETCH_DENIED", "This service has no S3 credentials (PARSER_S3_ACCESS_KEY_ID)."],
  InvalidObjectState: ["FETCH_FAILED", "The object is archived and must be restored first."],
  PreconditionFailed: ["FETCH_FAILED", "The object was replaced while it was being read."],
  PermanentRedirect: ["FETCH_FAILED", "The bucket lies in another region (PARSER_S3_REGION)."],
  AuthorizationHeaderMalformed: ["FETCH_FAILED", "The bucket lies in another region (PARSER_S3_REGION)."],
  TimeoutError: ["FETCH_TIMEOUT", "The S3 server fell silent."],
};

function byStatus(status: number | undefined): Outcome {
  if (status === 404) return ["FILE_NOT_FOUND"];
  if (status === 401 || status === 403) return ["FETCH_DENIED"];
  if (status === 412) return ["FETCH_FAILED", "The object was replaced while it was being read."];
  if (status === 301 || status === 307)
    return ["FETCH_FAILED", "The bucket lies in another region (PARSER_S3_REGION)."];
  return [
    "FETCH_FAILED",
    status === undefined ? "The S3 server could not be reached." : `The S3 server answered ${status}.`,
  ];
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}
