import type { NodeReason } from "@attune/contracts/errors/node-reasons.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import { cleanLogLine } from "../../process/read-log-tail.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A refusal in the form of OpenAI's API, as the reason it stands for. */
export function toUpstreamError(status: number, headers: Headers, body: string): AppError {
  const { message, code } = readError(body);
  const reason = reasonOf(status, `${code} ${message}`);
  const said =
    message === "" ? `It answered ${status}.` : `It answered ${status}: ${cleanLogLine(message).slice(0, 1000)}`;
  // What is said to a wrong key often repeats the key.
  const detail = reason === "INFERENCE_API_DENIED" ? `It answered ${status}.` : said;
  const retryAfterMs = reason === "MODEL_QUEUE_FULL" ? readRetryAfterMs(headers) : undefined;
  return new AppError(reason, { detail, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

function reasonOf(status: number, said: string): NodeReason {
  if (status === 401 || status === 403) return "INFERENCE_API_DENIED";
  if (/context_length_exceeded|context (length|window|size)|exceed_context_size|maximum model length/i.test(said)) {
    return "CHAT_CONTEXT_TOO_LONG";
  }
  if (status === 429) return "MODEL_QUEUE_FULL";
  if (status === 404) return "MODEL_NOT_LOADED";
  if (/out of memory|OutOfMemory/i.test(said)) return "MODEL_OUT_OF_MEMORY";
  return status >= 400 && status < 500 ? "CHAT_REJECTED" : "INFERENCE_ENGINE_FAILED";
}

// {"error": {"message", "code"}} as documented; {"error": "text"}, {"message"} and {"detail"} as others send it.
function readError(body: string): { readonly message: string; readonly code: string } {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { message: "", code: "" };
  }
  const outer = toRecord(json);
  const error = outer["error"];
  const fields = typeof error === "object" && error !== null ? toRecord(error) : outer;
  const texts = [error, fields["message"], fields["detail"]];
  const code = fields["code"] ?? fields["type"];
  return {
    message: texts.find((text) => typeof text === "string") ?? "",
    code: typeof code === "string" ? code : "",
  };
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

function readRetryAfterMs(headers: Headers): number {
  const seconds = Number(headers["retry-after"]);
  return seconds > 0 ? Math.min(seconds, 3600) * 1000 : 1000;
}

/** What broke on the way, as a reason; an AppError stays what it is. */
export function toTransportError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  if (code === "UND_ERR_DESTROYED") return new AppError("MODEL_NOT_LOADED", { detail: "It was unloaded." }, thrown);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return new AppError("INFERENCE_ENGINE_STALLED", {}, thrown);
  }
  if (
    ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT", "EAI_AGAIN"].includes(code)
  ) {
    return new AppError("INFERENCE_API_UNREACHABLE", { detail: `${code}.` }, thrown);
  }
  const told = thrown instanceof Error ? thrown.message : String(thrown);
  return new AppError("INFERENCE_ENGINE_FAILED", { detail: `The connection to it broke (${code || told}).` }, thrown);
}
