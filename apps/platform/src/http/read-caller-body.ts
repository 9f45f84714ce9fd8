import type { Readable } from "node:stream";
import { AppError } from "@attune/service-kit/app-error.ts";

/**
 * The bytes of a request as they come. @throws AppError `CALLER_GONE` when the connection breaks before the last one: without
 * it, its error would pass for one of a connection of ours.
 */
export async function* readCallerBody(body: Readable | undefined): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw new AppError("CALLER_GONE", {}, error);
  }
}
