import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import {
  type PlatformReason,
  type PlatformReasonEntry,
  platformReasons,
} from "@attune/contracts/errors/platform-reasons.ts";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { FastifyError } from "fastify";
import { toUnavailable } from "../infra/db/database-error.ts";

export interface ToldProblem {
  readonly problem: Problem;
  readonly error: AppError;
  /** Whether it is a fault of ours that belongs in the log with its stack. */
  readonly isOurs: boolean;
}

/** Maps whatever was thrown to what the caller is told. Nothing but the catalogue's words and public details leaves. */
export function toProblem(thrown: unknown, requestId: string): ToldProblem {
  const error = toAppError(thrown);
  const entry = entryOf(error);
  const status = entry.httpStatus ?? httpStatusOf[entry.code];
  const { detail, violations } = error.details;
  const problem: Problem = {
    type: `urn:attune:problem:${error.reason.toLowerCase().replaceAll("_", "-")}`,
    title: entry.sentence,
    status,
    detail: detail ?? entry.sentence,
    code: entry.code,
    reason: error.reason,
    remedy: entry.remedy,
    request_id: requestId,
    ...(violations !== undefined && { violations: violations.map((violation) => ({ ...violation })) }),
  };
  return { problem, error, isOurs: status >= 500 };
}

function entryOf(error: AppError): PlatformReasonEntry {
  const known: Readonly<Partial<Record<string, PlatformReasonEntry>>> = platformReasons;
  return known[error.reason] ?? platformReasons.INTERNAL;
}

// Codes of Fastify that a caller causes; all others are ours.
const frameworkReasons: Readonly<Record<string, PlatformReason>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "REQUEST_MALFORMED",
  FST_ERR_CTP_EMPTY_JSON_BODY: "REQUEST_MALFORMED",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "REQUEST_MALFORMED",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "REQUEST_MALFORMED",
  FST_ERR_CTP_BODY_TOO_LARGE: "REQUEST_TOO_LARGE",
  FST_ERR_BAD_URL: "REQUEST_MALFORMED",
};

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code = "", statusCode } = (thrown ?? {}) as Partial<FastifyError>;
  // The body broke off; an error of the database or of another server has no status of HTTP.
  if (code === "ECONNRESET" && statusCode === 400) return new AppError("CALL_CANCELLED", {}, thrown);
  const reason = frameworkReasons[code];
  if (reason !== undefined) return new AppError(reason, {}, thrown);
  return toUnavailable(thrown) ?? new AppError("INTERNAL", {}, thrown);
}
