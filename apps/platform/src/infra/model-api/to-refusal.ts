import { AppError, type Reason } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import { redact } from "./redact.ts";

/** What an API said when it refused; the cause of the AppError that tells of it. Its message holds no secret. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  /** Code of the protocol, such as `model_not_found`; empty when there is none. */
  readonly code: string;
  /** The parameter that it names; empty when it names none. */
  readonly param: string;

  constructor(status: number, { code, param, message }: ErrorBody) {
    super(`HTTP status ${status}: ${message}`);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

interface ErrorBody {
  readonly code: string;
  readonly param: string;
  readonly message: string;
}

export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of its body. */
  readonly body: string;
  readonly secret: Secret | undefined;
}

/** An answer that is no success, as the reason it stands for. */
export function toRefusal(answer: RefusedAnswer): AppError {
  const { status, headers, secret } = answer;
  const error = readErrorBody(answer.body, secret);
  const refusal = new ApiRefusal(status, error);
  const reason = reasonOf(refusal);
  const retryAfterMs = readRetryAfterMs(headers);
  const detail = detailOf(reason, refusal, { ...answer, message: error.message });
  return new AppError(reason, { detail, ...(retryAfterMs !== undefined && { retryAfterMs }) }, refusal);
}

function reasonOf({ status, code, message }: ApiRefusal): Reason {
  if (status >= 300 && status < 400) return "MODEL_API_REDIRECTED";
  if (code === "insufficient_quota") return "MODEL_API_QUOTA_EXHAUSTED";
  const known = reasonOfStatus[status];
  if (known !== undefined) return known;
  if (status >= 500) return "MODEL_API_FAILED";
  if (isAboutModel(code, message)) return "MODEL_API_MODEL_UNKNOWN";
  if (status === 404 || status === 405) return "MODEL_API_PATH_UNKNOWN";
  const isTooLong = code === "context_length_exceeded" || /context (length|window|size)|too many tokens/i.test(message);
  return isTooLong ? "MODEL_API_CONTEXT_TOO_LONG" : "MODEL_API_REQUEST_REJECTED";
}

const reasonOfStatus: Readonly<Record<number, Reason>> = {
  401: "MODEL_API_DENIED",
  402: "MODEL_API_QUOTA_EXHAUSTED",
  403: "MODEL_API_DENIED",
  407: "MODEL_API_DENIED",
  408: "MODEL_API_FAILED",
  429: "MODEL_API_RATE_LIMITED",
};

function isAboutModel(code: string, message: string): boolean {
  return code === "model_not_found" || /\bmodel\b.{0,200}\b(not found|does not exist|not exist|unknown)/i.test(message);
}

interface DetailSource extends RefusedAnswer {
  readonly message: string;
}

// What is said to a wrong key often repeats the key, so none of it is shown.
function detailOf(reason: Reason, { status }: ApiRefusal, { headers, message, secret }: DetailSource): string {
  if (reason === "MODEL_API_DENIED") {
    return `It answered ${status} and was sent ${secret === undefined ? "no key" : "the key of this model"}.`;
  }
  if (reason === "MODEL_API_REDIRECTED")
    return `It answered ${status}, leading to ${redact(placeOf(headers["location"]), secret)}.`;
  return message === "" ? `It answered ${status}.` : `It answered ${status}: ${message}`;
}

// Without the query, which may hold tokens.
function placeOf(location: string | string[] | undefined): string {
  const url = typeof location === "string" ? URL.parse(location, "http://same-server.invalid") : null;
  if (url === null) return "no address";
  return url.hostname === "same-server.invalid" ? url.pathname : `${url.origin}${url.pathname}`;
}

// {"error": {"message", "code", "param"}} as documented; {"error": "text"}, {"message"} and {"detail"} as others send it.
function readErrorBody(body: string, secret: Secret | undefined): ErrorBody {
  const json = parseObject(body);
  const error = json["error"];
  const fields = isObject(error) ? error : json;
  const message =
    [typeof error === "string" ? error : undefined, fields["message"], fields["detail"]].find(isText) ?? "";
  const textOf = (key: string): string => redact([fields[key]].find(isText) ?? "", secret);
  return { code: textOf("code"), param: textOf("param"), message: redact(message, secret) };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(body);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date; undefined when there is none. */
export function readRetryAfterMs(headers: RefusedAnswer["headers"], nowMs = Date.now()): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
