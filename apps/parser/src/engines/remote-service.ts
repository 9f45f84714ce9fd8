import { AppError } from "@attune/service-kit/app-error.ts";
import type { Secret } from "@attune/service-kit/secret.ts";
import type { OutboundHttp, OutboundRequest, OutboundResponse } from "../outbound/outbound-http.ts";
import type { Availability } from "./engine.ts";
import { parseJson } from "./parse-json.ts";

/** Where a remote engine lives, and whether the operator said so, which the guard trusts, or the caller. */
export interface Endpoint {
  /** Without a slash at the end. */
  readonly url: string;
  readonly isTrusted: boolean;
}

/** The caller's address stands above the operator's; undefined when there is neither. */
export function findEndpoint(fromCaller: unknown, fromOperator: unknown): Endpoint | undefined {
  const url = typeof fromCaller === "string" ? fromCaller : fromOperator;
  if (typeof url !== "string") return undefined;
  return { url: url.replace(/\/+$/, ""), isTrusted: typeof fromCaller !== "string" };
}

/**
 * The key for an endpoint: the caller's own, or the operator's for the operator's endpoint only, so that no caller can have
 * the operator's key sent to an address of his choice.
 */
export function findKey(
  fromCaller: unknown,
  fromOperator: Secret | undefined,
  endpoint: Endpoint | undefined,
): string | undefined {
  if (typeof fromCaller === "string") return fromCaller;
  return endpoint?.isTrusted === true ? fromOperator?.reveal() : undefined;
}

export interface RemoteCall extends Pick<OutboundRequest, "method" | "headers" | "body" | "timeoutMs"> {
  /** Name of the engine, for messages. */
  readonly engine: string;
  readonly endpoint: Endpoint;
  /** From the endpoint's address on, with a slash. */
  readonly path: string;
  /** Most bytes of the answer; by default what `maxAnswerBytes` says. */
  readonly maxBytes?: number;
}

/** Most bytes of an answer: of a service that the operator chose, and of an address that the caller did. */
export const maxAnswerBytes = { trusted: 64 << 20, untrusted: 16 << 20 } as const;

/**
 * One call to a remote engine.
 * @throws AppError `ENGINE_FAILED` for an answer that is not 2xx, `ENGINE_UNAVAILABLE` when it cannot be reached,
 *   `OUTPUT_TOO_LARGE`, `PARSE_TIMEOUT`, `FETCH_REFUSED` and `FILE_URL_INVALID` for a caller's address that the guard refuses.
 */
export async function callRemote(http: OutboundHttp, call: RemoteCall, signal: AbortSignal): Promise<OutboundResponse> {
  const { engine, endpoint, path, ...request } = call;
  const maxBytes = call.maxBytes ?? (endpoint.isTrusted ? maxAnswerBytes.trusted : maxAnswerBytes.untrusted);
  const url = `${endpoint.url}${path}`;
  const response = await http
    .request({ ...request, url, maxBytes, isTrusted: endpoint.isTrusted }, signal)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw toEngineError(call, error);
    });
  if (response.status >= 200 && response.status < 300) return response;
  throw new AppError(
    "ENGINE_FAILED",
    { detail: `${engine} answered with HTTP status ${response.status}; its log tells why.` },
    bodyStart(response),
  );
}

function toEngineError({ engine, endpoint }: RemoteCall, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (endpoint.isTrusted && (error.reason === "FETCH_REFUSED" || error.reason === "FILE_URL_INVALID"))
    return new AppError("ENGINE_UNAVAILABLE", { detail: `The address of ${engine} is not one to connect to.` }, error);
  if (error.reason === "FETCH_TIMEOUT")
    return new AppError("PARSE_TIMEOUT", { detail: `${engine} did not answer in time.` }, error);
  if (error.reason === "FETCH_FAILED")
    return new AppError("ENGINE_UNAVAILABLE", { detail: `${engine} cannot be reached.` }, error);
  if (error.reason === "FILE_TOO_LARGE")
    return new AppError("OUTPUT_TOO_LARGE", { detail: `${engine} answered too much.` }, error);
  return error;
}

// For the operator's log only: what a server says of a failure may quote the document.
function bodyStart({ body }: OutboundResponse): Error {
  return new Error(Buffer.from(body.subarray(0, maxQuoted)).toString("utf8"));
}

/** The answer as JSON. @throws AppError `ENGINE_FAILED` when it is none, or has more parts than any answer needs. */
export function parseAnswer(engine: string, { body }: OutboundResponse): unknown {
  return parseJson(engine, body);
}

const maxQuoted = 2048;

/** The start of an answer that is not what it should be, as a cause; for the operator's log only. */
export function quoteAnswer(answer: unknown): Error {
  const text = typeof answer === "string" ? answer : (JSON.stringify(answer) as string | undefined);
  return new Error((text ?? String(answer)).slice(0, maxQuoted));
}

/** The value at a path of keys, or undefined where anything on the way is missing or no object. */
export function valueAt(answer: unknown, ...path: readonly (string | number)[]): unknown {
  let value = answer;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** Whether the service answers at all; a refusal, an error or silence comes back as the reason. */
export async function probeRemote(
  http: OutboundHttp,
  call: Omit<RemoteCall, "timeoutMs">,
  signal: AbortSignal,
): Promise<Availability> {
  try {
    await callRemote(http, { ...call, timeoutMs: 1800, maxBytes: 1 << 20 }, signal);
    return { isAvailable: true };
  } catch (error) {
    const detail = error instanceof AppError ? (error.details.detail ?? error.entry.sentence) : "It cannot be reached.";
    return { isAvailable: false, reason: `${detail} Check that ${call.engine} is running at the address configured.` };
  }
}

/** A file as the part of a form; named after its format, since engines go by the name. */
export function toFormFile(bytes: Uint8Array, format: string): { readonly file: Blob; readonly name: string } {
  return { file: new Blob([bytes]), name: `document.${usualExtension(format)}` };
}

const extensions: Readonly<Record<string, string>> = { jpeg: "jpg", xhtml: "html" };

export function usualExtension(format: string): string {
  return extensions[format] ?? format;
}
