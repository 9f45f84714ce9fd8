import type { CanonicalCode } from "./codes.ts";
import { datasetReasons } from "./dataset-reasons.ts";
import { jobReasons } from "./job-reasons.ts";
import { modelApiReasons } from "./model-api-reasons.ts";
import { oidcReasons } from "./oidc-reasons.ts";
import { storageReasons } from "./storage-reasons.ts";

/** What a caller may learn about one kind of failure of the platform. */
export interface PlatformReasonEntry {
  readonly code: CanonicalCode;
  /** Only reasons of the parser have one. */
  readonly scope?: undefined;
  /** HTTP status, where it is not the usual one of the code. */
  readonly httpStatus?: number;
  /** What happened, one sentence. */
  readonly sentence: string;
  /** What the caller or the operator can do about it, one sentence. */
  readonly remedy: string;
  /** Whether the same request may succeed later without any change. */
  readonly retryable: boolean;
}

/** The closed list of reasons of the platform. Every refusal and failure carries exactly one of them. */
export const platformReasons = {
  REQUEST_INVALID: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "The request does not have the form that this operation takes.",
    remedy: "Correct what `violations` names.",
    retryable: false,
  },
  REQUEST_MALFORMED: {
    code: "invalid_argument",
    sentence: "The request cannot be read.",
    remedy: "Send well-formed HTTP and JSON in UTF-8 with the header Content-Type: application/json.",
    retryable: false,
  },
  REQUEST_TOO_LARGE: {
    code: "resource_exhausted",
    httpStatus: 413,
    sentence: "The request is larger than this operation takes.",
    remedy: "Send less at once; files are uploaded in parts.",
    retryable: false,
  },
  REQUEST_TOO_SLOW: {
    code: "deadline_exceeded",
    httpStatus: 408,
    sentence: "The body of the request did not come in time.",
    remedy: "Check the connection and send it again; files are uploaded in parts.",
    retryable: true,
  },
  CALLER_GONE: {
    code: "cancelled",
    sentence: "The connection of the caller broke before the whole request had come.",
    remedy: "Send it again; a large file is better sent in pieces, which go on where they were.",
    retryable: true,
  },
  ROUTE_NOT_FOUND: {
    code: "not_found",
    sentence: "There is no operation at this path.",
    remedy: "Look the path and the method up in /api/v1/openapi.json.",
    retryable: false,
  },
  RECORD_NOT_FOUND: {
    code: "not_found",
    sentence: "There is no such record, or you may not know of it.",
    remedy: "Check the id and the tenant; ask its owner for access.",
    retryable: false,
  },
  SIGN_IN_REQUIRED: {
    code: "unauthenticated",
    sentence: "This operation needs a valid token.",
    remedy: "Sign in, or send `Authorization: Bearer TOKEN` with a token that has neither expired nor been revoked.",
    retryable: false,
  },
  SIGN_IN_FAILED: {
    code: "unauthenticated",
    sentence: "The e-mail address or the password is wrong.",
    remedy: "Try again, or ask an administrator of your tenant for a new password.",
    retryable: false,
  },
  SIGN_IN_LOCKED: {
    code: "resource_exhausted",
    sentence: "Too many failed attempts to sign in.",
    remedy: "Wait as long as Retry-After says, then try again.",
    retryable: true,
  },
  PASSWORD_CHANGE_REQUIRED: {
    code: "failed_precondition",
    httpStatus: 403,
    sentence: "The password is for one sign-in only.",
    remedy: "Set a password of your own first.",
    retryable: false,
  },
  PERMISSION_DENIED: {
    code: "permission_denied",
    sentence: "Your role and grants do not allow this operation.",
    remedy: "Ask an administrator of the tenant for the role, or the record's owner for a grant.",
    retryable: false,
  },
  RATE_LIMITED: {
    code: "resource_exhausted",
    sentence: "Too many requests in a short time.",
    remedy: "Wait as long as Retry-After says, then try again.",
    retryable: true,
  },
  EVENT_STREAMS_TAKEN: {
    code: "resource_exhausted",
    sentence: "As many streams of events are open as one user or one tenant may have.",
    remedy: "Close those that nobody reads, or wait as long as Retry-After says; one stream tells of everything.",
    retryable: true,
  },
  VERSION_REQUIRED: {
    code: "failed_precondition",
    httpStatus: 428,
    sentence: "An edit must say which version of the record it was made on.",
    remedy: "Send the record's ETag as If-Match.",
    retryable: false,
  },
  VERSION_CONFLICT: {
    code: "aborted",
    httpStatus: 412,
    sentence: "The record was changed by somebody else since you read it.",
    remedy: "Read it again, look at what changed, and repeat your edit on the present version.",
    retryable: false,
  },
  IDEMPOTENCY_KEY_REUSED: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "This Idempotency-Key came with a different request before.",
    remedy: "Send a new key with a new request; repeat a key only with the same request.",
    retryable: false,
  },
  IDEMPOTENCY_KEY_BUSY: {
    code: "aborted",
    sentence: "The first request with this Idempotency-Key is still under way.",
    remedy: "Wait a moment and repeat the request with the same key.",
    retryable: true,
  },
  TENANT_NAME_TAKEN: {
    code: "already_exists",
    sentence: "There is a tenant of this name already.",
    remedy: "Choose another name.",
    retryable: false,
  },
  USER_EMAIL_TAKEN: {
    code: "already_exists",
    sentence: "There is a user with this e-mail address in the tenant already.",
    remedy: "Change the role of the user who is there, or give another address.",
    retryable: false,
  },
  LAST_OWNER: {
    code: "failed_precondition",
    httpStatus: 409,
    sentence: "A tenant keeps at least one owner.",
    remedy: "Make another user owner first.",
    retryable: false,
  },
  PASSWORD_TOO_WEAK: {
    code: "invalid_argument",
    httpStatus: 422,
    sentence: "The password is too short, too common or the present one.",
    remedy: "Choose at least 12 characters that are not a common password and not your address.",
    retryable: false,
  },
  ...oidcReasons,
  DATABASE_UNAVAILABLE: {
    code: "unavailable",
    sentence: "The database does not answer.",
    remedy: "Try again; if it lasts, have the operator check the database. Nothing was changed by this request.",
    retryable: true,
  },
  ...storageReasons,
  ...jobReasons,
  ...datasetReasons,
  SHUTTING_DOWN: {
    code: "unavailable",
    sentence: "The service is shutting down and takes no new work.",
    remedy: "Try again; another instance or the restarted one will answer.",
    retryable: true,
  },
  INTERNAL: {
    code: "internal",
    sentence: "Something went wrong that should not; it is in the log under the request id.",
    remedy: "Give the request id to the operator.",
    retryable: false,
  },
  MODEL_NAME_TAKEN: {
    code: "already_exists",
    sentence: "The tenant has a model of this name already.",
    remedy: "Choose another name, or delete the other model; its name is free then.",
    retryable: false,
  },
  MODEL_NOT_API: {
    code: "failed_precondition",
    sentence: "The model is not called through an API.",
    remedy: "Choose a model of the kind `api`.",
    retryable: false,
  },
  SECRET_UNREADABLE: {
    code: "failed_precondition",
    sentence: "A stored secret cannot be decrypted.",
    remedy: "Enter it again, or have the operator add its key to PLATFORM_SECRET_KEY_PREVIOUS.",
    retryable: false,
  },
  SECRET_KEY_UNUSABLE: {
    code: "internal",
    sentence: "The key that encrypts stored secrets cannot be used.",
    remedy: "Have the operator correct PLATFORM_SECRET_KEY or the file secret-keys in ATTUNE_DATA_DIR.",
    retryable: false,
  },
  ...modelApiReasons,
} as const satisfies Record<string, PlatformReasonEntry>;

export type PlatformReason = keyof typeof platformReasons;
