import { httpStatusOf } from "@attune/contracts/errors/http-status.ts";
import { nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import {
  type PlatformReason,
  type PlatformReasonEntry,
  platformReasons,
} from "@attune/contracts/errors/platform-reasons.ts";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { AppError } from "../app-error.ts";

export interface ToldProblem {
  readonly problem: Problem;
  readonly error: AppError;
  /** Whether it is a fault of ours that belongs in the log with its stack. */
  readonly isOurs: boolean;
}

/** Maps whatever was thrown to what the caller is told. Nothing but the catalogue's words and public details leaves. */
export function toProblem(thrown: unknown, requestId: string): ToldProblem {
  const error =
    thrown instanceof AppError ? thrown : (toFrameworkError(thrown) ?? new AppError("INTERNAL", {}, thrown));
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

const restReasons: Readonly<Partial<Record<string, PlatformReasonEntry>>> = { ...platformReasons, ...nodeReasons };

function entryOf(error: AppError): PlatformReasonEntry {
  return restReasons[error.reason] ?? platformReasons.INTERNAL;
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

/** What Fastify found wrong with a request, in our words; undefined for everything else. */
export function toFrameworkError(thrown: unknown): AppError | undefined {
  const { code = "", statusCode } = (thrown ?? {}) as { readonly code?: string; readonly statusCode?: number };
  // The body broke off; an error of the database or of another server has no status of HTTP.
  if (code === "ECONNRESET" && statusCode === 400) return new AppError("CALL_CANCELLED", {}, thrown);
  const reason = frameworkReasons[code];
  return reason === undefined ? undefined : new AppError(reason, {}, thrown);
}
