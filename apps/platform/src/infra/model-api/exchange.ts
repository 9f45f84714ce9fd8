import { AppError } from "@attune/service-kit/app-error.ts";
import { type Dispatcher, request as send } from "undici";
import { startDeadline, tooSlow } from "./deadline.ts";
import type { ModelEndpoint } from "./model-api.ts";
import type { ModelApiSettings } from "./model-api-settings.ts";
import { toRefusal } from "./to-refusal.ts";
import { toInterruption, toTransportFailure } from "./to-transport-failure.ts";

export interface ApiRequest {
  readonly method: "GET" | "POST";
  /** After api_url, such as `/models`. */
  readonly path: string;
  readonly body?: unknown;
  readonly accept: "application/json" | "text/event-stream";
  /** Whether the first byte has its own time-out; a whole chat answer takes as long as it takes to generate. */
  readonly hasFirstByteTimeout: boolean;
}

export interface ExchangeDeps {
  readonly endpoint: Pick<ModelEndpoint, "apiUrl" | "secret">;
  readonly settings: ModelApiSettings;
  readonly dispatcher: Dispatcher;
}

export interface ApiResponse {
  /** Media type without parameters, in lower case. */
  readonly mediaType: string;
  /** The answer, bounded in size, silence and time; leaving the loop ends the connection. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const maxRefusalBytes = 65_536;

/**
 * Sends one request and gives the answer once it is known to be a success.
 * @throws AppError `MODEL_API_…`, with an ApiRefusal as cause when the API answered; the reason of `signal` when it aborts.
 */
export async function exchange(request: ApiRequest, deps: ExchangeDeps, signal: AbortSignal): Promise<ApiResponse> {
  const { endpoint, settings, dispatcher } = deps;
  const { method, path, accept, body } = request;
  signal.throwIfAborted();
  const timeoutMs = request.hasFirstByteTimeout ? settings.firstByteTimeoutMs : settings.totalTimeoutMs;
  const firstByte = startDeadline(timeoutMs, "the first byte of its answer");
  const stop = AbortSignal.any([signal, firstByte.signal]);
  try {
    const response = await send(`${endpoint.apiUrl}${path}`, {
      method,
      dispatcher,
      signal: stop,
      headers: {
        accept,
        "user-agent": "attune",
        ...(endpoint.secret !== undefined && { authorization: `Bearer ${endpoint.secret.reveal()}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    response.body.on("error", () => {});
    const bytes = boundBody(response, { settings, stop, onFirstByte: () => firstByte[Symbol.dispose]() });
    if (response.statusCode < 200 || response.statusCode > 299) throw await readRefusal(response, bytes, endpoint);
    return { mediaType: mediaTypeOf(response), bytes };
  } catch (error) {
    firstByte[Symbol.dispose]();
    if (stop.aborted) throw stop.reason;
    throw toTransportFailure(error);
  }
}

type Response = Dispatcher.ResponseData;

interface BodyBounds {
  readonly settings: ModelApiSettings;
  readonly stop: AbortSignal;
  readonly onFirstByte: () => void;
}

async function* boundBody({ body, headers }: Response, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  const { settings, stop, onFirstByte } = bounds;
  const { idleTimeoutMs, maxAnswerBytes } = settings;
  let receivedBytes = 0;
  let idle: NodeJS.Timeout | undefined;
  try {
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") throw incompatible("It compressed its answer, which was not asked for.");
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      onFirstByte();
      clearTimeout(idle);
      receivedBytes += chunk.length;
      if (receivedBytes > maxAnswerBytes) throw tooLarge(maxAnswerBytes);
      yield chunk;
      // Only time spent waiting for the API counts, not the time its reader takes.
      idle = setTimeout(() => body.destroy(tooSlow(idleTimeoutMs, "the rest of its answer")), idleTimeoutMs);
    }
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    throw toInterruption(error);
  } finally {
    onFirstByte();
    clearTimeout(idle);
    body.destroy();
  }
}

async function readRefusal(
  { statusCode: status, headers }: Response,
  bytes: AsyncIterable<Uint8Array>,
  { secret }: ExchangeDeps["endpoint"],
): Promise<AppError> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bytes) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxRefusalBytes) break;
    }
  } catch (error) {
    // The status says enough when its explanation breaks off; a call that was given up is another matter.
    if (!(error instanceof AppError) || error.reason === "MODEL_API_TIMEOUT") throw error;
  }
  return toRefusal({ status, headers, body: Buffer.concat(chunks).toString(), secret });
}

function mediaTypeOf({ headers }: Response): string {
  const type = headers["content-type"];
  return (typeof type === "string" ? type : "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

export function incompatible(detail: string): AppError {
  return new AppError("MODEL_API_INCOMPATIBLE", { detail });
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError("MODEL_API_ANSWER_TOO_LARGE", { detail: `It has more than ${maxBytes} bytes.` });
}
