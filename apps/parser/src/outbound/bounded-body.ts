import { AppError } from "@attune/service-kit/app-error.ts";
import { endedEarly, toFetchError } from "./to-fetch-error.ts";

export interface BodyBounds {
  /** Bytes that must come, exactly; undefined when the other side did not say. */
  readonly expectedBytes?: number | undefined;
  readonly minRateBytesPerSecond: number;
  readonly minRateWindowMs: number;
}

/**
 * A body with its promises checked: a silence limit alone lets one byte a second pass for ever, so the rate is measured
 * too. Only time spent waiting for the other side counts, not the time the reader takes.
 * @throws AppError `FETCH_TIMEOUT` when too slow, `FETCH_FAILED` when the length differs or the connection breaks.
 */
export async function* boundBody(body: AsyncIterable<Uint8Array>, bounds: BodyBounds): AsyncGenerator<Uint8Array> {
  const isTooSlow = createRateCheck(bounds);
  let receivedBytes = 0;
  let askedAtMs = performance.now();
  try {
    for await (const chunk of body) {
      receivedBytes += chunk.length;
      if (isTooSlow(chunk.length, performance.now() - askedAtMs)) throw tooSlow(bounds);
      if (receivedBytes > (bounds.expectedBytes ?? Infinity)) throw differs("more");
      yield chunk;
      askedAtMs = performance.now();
    }
  } catch (error) {
    throw toBodyError(error, receivedBytes < (bounds.expectedBytes ?? Infinity));
  }
  if (receivedBytes < (bounds.expectedBytes ?? 0)) throw differs("fewer");
}

function createRateCheck({ minRateBytesPerSecond, minRateWindowMs }: BodyBounds) {
  let windowBytes = 0;
  let waitedMs = 0;
  return (chunkBytes: number, chunkWaitedMs: number): boolean => {
    windowBytes += chunkBytes;
    waitedMs += chunkWaitedMs;
    if (waitedMs < minRateWindowMs) return false;
    const bytesPerSecond = (windowBytes * 1000) / waitedMs;
    windowBytes = 0;
    waitedMs = 0;
    return bytesPerSecond < minRateBytesPerSecond;
  };
}

function tooSlow({ minRateBytesPerSecond }: BodyBounds): AppError {
  return new AppError("FETCH_TIMEOUT", { detail: `It came at less than ${minRateBytesPerSecond} bytes a second.` });
}

function differs(how: "more" | "fewer"): AppError {
  return new AppError("FETCH_FAILED", { detail: `It has ${how} bytes than its server declared.` });
}

function toBodyError(error: unknown, isIncomplete: boolean): AppError {
  const known = toFetchError(error);
  if (error instanceof AppError || known.reason !== "FETCH_FAILED" || !isIncomplete) return known;
  return new AppError("FETCH_FAILED", { detail: endedEarly }, error);
}
