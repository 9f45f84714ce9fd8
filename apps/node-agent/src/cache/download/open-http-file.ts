import { AppError } from "@attune/service-kit/app-error.ts";
import type { OpenedFile, WantedPart } from "../cache-source.ts";
import { readRetryAfterMs } from "./retry-after.ts";
import type { SourceAnswer, SourceHttp, SourceRequest } from "./source-http.ts";

export interface HttpFile {
  readonly http: SourceHttp;
  readonly request: SourceRequest;
  readonly sizeBytes: number;
  /** What the server says of an answer that is no success, where it is more than the status tells. */
  readonly explain?: (answer: SourceAnswer) => AppError | undefined;
}

/**
 * Asks for a file from `part.offset` on. The server is told the ETag of what has come before, so that it sends all of it when
 * that was another one.
 * @throws AppError `CACHE_SOURCE_CHANGED` when the rest of what has come is not to be had; those of `SourceHttp` and of
 * `toStatusError`; `CACHE_SIZE_MISMATCH`.
 */
export async function openHttpFile(file: HttpFile, part: WantedPart, signal: AbortSignal): Promise<OpenedFile> {
  const rangeHeaders = toRangeHeaders(part);
  const answer = await file.http.get({ ...file.request, rangeHeaders }, signal);
  try {
    return toOpenedFile(answer, file, part);
  } catch (error) {
    answer.discard();
    throw error;
  }
}

function toRangeHeaders({ offset, etag }: WantedPart): Record<string, string> {
  if (offset === 0) return {};
  // If-Range takes strong validators only; without one, the checksum of the whole tells.
  const isStrong = etag?.startsWith('"') === true;
  return { range: `bytes=${offset}-`, ...(isStrong && { "if-range": etag }) };
}

function toOpenedFile(answer: SourceAnswer, file: HttpFile, { offset }: WantedPart): OpenedFile {
  const { status, headers, body, discard, host } = answer;
  const etag = headers["etag"];
  if (status === 200) {
    checkLength(headers["content-length"], file.sizeBytes, host);
    return { offset: 0, etag, body, discard };
  }
  if (offset > 0 && status === 206) {
    const wanted = new RegExp(`^bytes ${offset}-${file.sizeBytes - 1}/(?:${file.sizeBytes}|\\*)$`, "i");
    if (wanted.test(headers["content-range"]?.trim() ?? "")) return { offset, etag, body, discard };
    throw changed(`${host} sent another part than the rest.`);
  }
  if (offset > 0 && status === 416) throw changed(`${host} has no rest of it.`);
  throw file.explain?.(answer) ?? toStatusError(answer);
}

function checkLength(text: string | undefined, sizeBytes: number, host: string): void {
  if (text === undefined || Number(text) === sizeBytes) return;
  const detail = `${host} sends ${Number(text)} bytes instead of ${sizeBytes}.`;
  throw new AppError("CACHE_SIZE_MISMATCH", { detail });
}

/**
 * What an answer that is no success means. 408, 425, 429 and 5xx are worth another try, after the time that they name.
 * @returns AppError `CACHE_SOURCE_NOT_FOUND`, `CACHE_SOURCE_DENIED`, `CACHE_SOURCE_FAILED`, `CACHE_SOURCE_INVALID`.
 */
export function toStatusError({ status, headers, host }: SourceAnswer): AppError {
  const detail = `${host} answered ${status}.`;
  if (status === 404 || status === 410) return new AppError("CACHE_SOURCE_NOT_FOUND", { detail });
  if (status === 401 || status === 403) return new AppError("CACHE_SOURCE_DENIED", { detail });
  if (status >= 500 || [408, 425, 429].includes(status)) {
    const retryAfterMs = readRetryAfterMs(headers, Date.now());
    return new AppError("CACHE_SOURCE_FAILED", { detail, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }
  return new AppError("CACHE_SOURCE_INVALID", { detail });
}

function changed(detail: string): AppError {
  return new AppError("CACHE_SOURCE_CHANGED", { detail });
}
