import type { OpenaiError } from "@attune/contracts/compute/openai-chat-api.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { toProblem } from "@attune/service-kit/http/to-problem.ts";
import * as z from "zod";

interface Refusal {
  readonly status: number;
  readonly body: OpenaiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whatever was thrown, as OpenAI's API tells it: status, and an object `error`. */
export function toRefusal(thrown: unknown): Refusal {
  const retryAfterMs = thrown instanceof AppError ? thrown.details.retryAfterMs : undefined;
  const headers = retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
  return { status: statusOf(thrown), body: toOpenaiError(thrown), headers };
}

/** The statuses that clients of OpenAI's API know; what they would try again for nothing is 400. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof z.ZodError) return 400;
  const { status, reason } = toProblem(thrown, "").problem;
  if (reason === "MODEL_NOT_LOADED") return 404;
  return status === 422 ? 400 : status;
}

export function toOpenaiError(thrown: unknown): OpenaiError {
  if (thrown instanceof z.ZodError) return toFormError(thrown);
  const { reason, title, detail, remedy } = toProblem(thrown, "").problem;
  const message = [...new Set([title, detail, remedy])].join(" ");
  const param = reason === "MODEL_NOT_LOADED" ? "model" : null;
  return { error: { message, type: typeOf(statusOf(thrown)), param, code: codes[reason] ?? reason.toLowerCase() } };
}

function toFormError({ issues: [issue] }: z.ZodError): OpenaiError {
  const param = issue?.path.join(".") ?? "";
  const message = `${param === "" ? "The body" : param}: ${issue?.message ?? "is not valid"}`;
  return { error: { message, type: "invalid_request_error", param: param === "" ? null : param, code: null } };
}

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** Those of OpenAI that clients look for. */
const codes: Readonly<Partial<Record<string, string>>> = {
  MODEL_NOT_LOADED: "model_not_found",
  CHAT_CONTEXT_TOO_LONG: "context_length_exceeded",
  MODEL_QUEUE_FULL: "rate_limit_exceeded",
};
