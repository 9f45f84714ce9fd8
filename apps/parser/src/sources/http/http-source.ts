import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { OutboundStream, StreamingHttp } from "../../outbound/outbound-http.ts";
import type { FileSource, OpenedFile } from "../file-source.ts";
import { parseMediaType } from "../media-type.ts";
import { findFileName } from "./find-file-name.ts";

export interface HttpSourceSettings {
  /** For the whole fetch: connection, redirects, retries and body. */
  readonly timeoutMs: number;
  /** Redirects followed; at most 5. */
  readonly maxRedirects: number;
  /** Further tries after an answer that says "later" or a lost connection, when no byte of the file has come yet. */
  readonly maxRetries: number;
  /** Longest pause before the first retry; it doubles with each, and a random share of it is taken. */
  readonly retryDelayMs: number;
}

export const defaultHttpSourceSettings: HttpSourceSettings = {
  timeoutMs: 120_000,
  maxRedirects: 5,
  maxRetries: 2,
  retryDelayMs: 500,
};

/** Files of http and https URLs, through the guard. */
export function createHttpSource(settings: HttpSourceSettings, { http }: { readonly http: StreamingHttp }): FileSource {
  return {
    schemes: ["http", "https"],
    open: async (url, signal) => {
      const deadlineMs = performance.now() + settings.timeoutMs;
      for (let retry = 0; ; retry++) {
        const timeoutMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
        const outcome = await tryOpen({ url, http, timeoutMs, maxRedirects: settings.maxRedirects }, signal);
        if ("file" in outcome) return outcome.file;
        const pauseMs = settings.retryDelayMs * 2 ** retry * Math.random();
        const isSpent = retry >= settings.maxRetries || performance.now() + pauseMs >= deadlineMs;
        if (!outcome.isRetryable || isSpent) throw outcome.error;
        await pause(pauseMs, signal);
      }
    },
  };
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

interface Attempt {
  readonly url: string;
  readonly http: StreamingHttp;
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

type Outcome = { readonly file: OpenedFile } | { readonly error: unknown; readonly isRetryable: boolean };

async function tryOpen({ http, ...request }: Attempt, signal: AbortSignal): Promise<Outcome> {
  try {
    const stream = await http.open(request, signal);
    if (stream.status === 200) return { file: toOpenedFile(stream) };
    stream.discard();
    return { error: toStatusError(stream.status), isRetryable: stream.status === 429 || stream.status >= 500 };
  } catch (error) {
    return { error, isRetryable: !signal.aborted && isConnectionLost(error) };
  }
}

function toOpenedFile({ headers, url, body, sizeBytes }: OutboundStream): OpenedFile {
  const fileName = findFileName(headers["content-disposition"], url);
  return {
    stream: body,
    ...parseMediaType(headers["content-type"] ?? ""),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(fileName !== undefined && { fileName }),
  };
}

function toStatusError(status: number): AppError {
  const detail = `Its server answered with status ${status}.`;
  if (status === 404 || status === 410) return new AppError("FILE_NOT_FOUND", { detail });
  if (status === 401 || status === 403) return new AppError("FETCH_DENIED", { detail });
  return new AppError("FETCH_FAILED", { detail });
}

// A kept connection may be closed by the server at the moment it is used again.
function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError && error.reason === "FETCH_FAILED" ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE" || code === "ECONNREFUSED";
}
