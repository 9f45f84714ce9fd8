/** What a log line tells of an error. */
interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly reason?: string;
  /** Where it was thrown: the lines of its stack, without its message. */
  readonly stack?: readonly string[];
  readonly cause?: DescribedError | string;
  /** Of several errors at once, the first ones. */
  readonly errors?: readonly (DescribedError | string)[];
}

const maxDepth = 5;
const maxErrors = 5;

/**
 * An error for a log line: type, message, code, place and causes, and nothing of the other fields it carries. Values that a
 * failed statement was given are left out, because they may be secrets or text of a document.
 */
export function describeError(thrown: unknown, depth = 0): DescribedError | string {
  if (!(thrown instanceof Error)) return typeof thrown === "string" ? thrown : `a thrown ${typeof thrown}`;
  const { code, reason, errors } = thrown as Error & { code?: unknown; reason?: unknown; errors?: unknown };
  const { cause } = thrown;
  const isDeeper = depth < maxDepth;
  const stack = stackOf(thrown);
  return {
    type: thrown.name,
    message: messageOf(thrown),
    ...(typeof code === "string" && { code }),
    ...(typeof reason === "string" && { reason }),
    ...(stack.length > 0 && { stack }),
    ...(cause !== undefined && isDeeper && { cause: describeError(cause, depth + 1) }),
    ...(Array.isArray(errors) && isDeeper && { errors: describeSome(errors, depth + 1) }),
  };
}

const describeSome = (errors: readonly unknown[], depth: number): (DescribedError | string)[] =>
  errors.slice(0, maxErrors).map((error) => describeError(error, depth));

/** Drizzle's message ends with the values of the statement. */
function messageOf(error: Error): string {
  const { query } = error as { query?: unknown };
  return typeof query === "string" ? `Failed query: ${query}` : error.message;
}

const stackOf = ({ stack }: Error): string[] =>
  (stack ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "));
