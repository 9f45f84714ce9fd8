import { AppError } from "@attune/service-kit/app-error.ts";

/** A failure as callers of the node read it. */
export interface SessionFailure {
  readonly reason: string;
  readonly message: string;
  readonly hint: string;
}

/** Whatever was thrown, as an AppError; what is none is a fault of an engine's adapter. */
export function toAppFailure(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("INFERENCE_ENGINE_FAILED", { detail: `${said}.` }, thrown);
}

export function toSessionFailure(thrown: unknown): SessionFailure {
  const error = toAppFailure(thrown);
  const { sentence, remedy } = error.entry;
  const { detail } = error.details;
  return {
    reason: error.reason,
    message: detail === undefined ? sentence : `${sentence} ${detail}`,
    hint: remedy,
  };
}
