import { AppError } from "@attune/service-kit/app-error.ts";

interface ServerError {
  readonly code: string;
  readonly constraint?: string;
}

const serverErrorOf = (error: unknown): ServerError | undefined => {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    const code: unknown = (cause as { code?: unknown }).code;
    if (typeof code === "string") return cause as unknown as ServerError;
  }
  return undefined;
};

/** Whether a statement failed because of this unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const told = serverErrorOf(error);
  return told?.code === "23505" && told.constraint === constraint;
}

// Classes and codes of PostgreSQL (Appendix A of its manual) and of the system that mean: not there, not now, or full.
const gone =
  /^(?:08\w{3}|57P0[1-5]|53\w{3}|25006|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
const goneMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end)/;

/** DATABASE_UNAVAILABLE for a failure of the database itself; otherwise undefined. */
export function toUnavailable(error: unknown): AppError | undefined {
  const told = serverErrorOf(error);
  const isGone =
    (told !== undefined && gone.test(told.code)) || messagesOf(error).some((text) => goneMessages.test(text));
  return isGone ? new AppError("DATABASE_UNAVAILABLE", {}, error) : undefined;
}

/** Whether a transaction may be run again as it is: it lost against another one and changed nothing. */
export function isRetryable(error: unknown): boolean {
  const code = serverErrorOf(error)?.code;
  return code === "40001" || code === "40P01";
}

function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    messages.push(cause.message);
  }
  return messages;
}
