import { AppError } from "@attune/service-kit/app-error.ts";
import {
  toProblem as toSharedProblem,
  toFrameworkError,
  type ToldProblem,
} from "@attune/service-kit/http/to-problem.ts";
import { toUnavailable } from "../infra/db/database-error.ts";

/** Maps whatever was thrown to what the caller is told; a database that is away has its own reason. */
export const toProblem = (thrown: unknown, requestId: string): ToldProblem =>
  toSharedProblem(toAppError(thrown), requestId);

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return toFrameworkError(thrown) ?? toUnavailable(thrown) ?? new AppError("INTERNAL", {}, thrown);
}
