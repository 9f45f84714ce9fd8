import { AppError } from "@attune/service-kit/app-error.ts";
import { toSourceError } from "./to-source-error.ts";

const windowMs = 60_000;

/**
 * A body with its failures as reasons. A limit of silence alone lets one byte a second pass for ever, so the rate is measured
 * too, over the time spent waiting for the other side.
 */
export async function* boundBody(
  body: AsyncIterable<Uint8Array>,
  host: string,
  minRateBytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  let [windowBytes, waitedMs] = [0, 0];
  let askedAtMs = performance.now();
  try {
    for await (const chunk of body) {
      windowBytes += chunk.length;
      waitedMs += performance.now() - askedAtMs;
      const isWindowOver = waitedMs >= windowMs;
      if (isWindowOver && (windowBytes * 1000) / waitedMs < minRateBytesPerSecond)
        throw tooSlow(host, minRateBytesPerSecond);
      if (isWindowOver) [windowBytes, waitedMs] = [0, 0];
      yield chunk;
      askedAtMs = performance.now();
    }
  } catch (error) {
    throw toSourceError(error, host);
  }
}

function tooSlow(host: string, bytesPerSecond: number): AppError {
  const detail = `${host} sent less than ${bytesPerSecond} bytes a second for a minute.`;
  return new AppError("CACHE_SOURCE_TIMEOUT", { detail });
}
