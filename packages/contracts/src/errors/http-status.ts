import type { CanonicalCode } from "./codes.ts";

/** The usual HTTP status of each canonical code (google.api: Mapping of codes to HTTP). */
export const httpStatusOf: Readonly<Record<CanonicalCode, number>> = {
  cancelled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 409,
  aborted: 409,
  out_of_range: 416,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};
