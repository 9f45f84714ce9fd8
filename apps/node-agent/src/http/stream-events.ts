import { Readable } from "node:stream";
import { renderEvent } from "@attune/service-kit/http/render-event.ts";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { ServerEvent } from "./node-route.ts";

export interface EventStreamOptions {
  /** How often a comment is sent while there are no events, in milliseconds. */
  readonly heartbeatMs: number;
  /** The last frame where the events threw. */
  readonly renderFailure: (thrown: unknown) => ServerEvent;
  /** Aborted when the reader is gone; the stream ends then, whatever the events do. */
  readonly gone: AbortSignal;
  /** Aborted when the server stops: the stream ends then, too, and its reader is told that it is not whole. */
  readonly stopping: AbortSignal;
}

/** Bytes that may wait for the reader; while more do, no event is asked for. */
const bufferedBytes = 16 * 1024;

/** Server-sent events as bytes. What the events throw is told in a last frame, and the stream ends well. */
export function streamEvents(events: AsyncIterable<ServerEvent>, options: EventStreamOptions): Readable {
  return Readable.from(renderFrames(events, options), { objectMode: false, highWaterMark: bufferedBytes });
}

async function* renderFrames(events: AsyncIterable<ServerEvent>, options: EventStreamOptions): AsyncGenerator<Buffer> {
  const iterator = events[Symbol.asyncIterator]();
  // The headers go out with it, so that the reader knows at once that it is heard.
  yield Buffer.from(": events follow\n\n");
  let next: Promise<IteratorResult<ServerEvent>> | undefined;
  try {
    for (;;) {
      next ??= iterator.next();
      const result = await nextOrSilence(next, options);
      if (result === "gone") return;
      if (result === "silence") {
        yield Buffer.from(": alive\n\n");
        continue;
      }
      next = undefined;
      if (result.done === true) return;
      yield renderServerEvent(result.value);
    }
  } catch (error) {
    yield renderServerEvent(options.renderFailure(error));
  } finally {
    leave(iterator, next);
  }
}

// An iterator that is being waited for ends through its own signal; what it throws then has no reader any more.
function leave(iterator: AsyncIterator<ServerEvent>, pending: Promise<unknown> | undefined): void {
  void pending?.catch(() => undefined);
  void iterator.return?.().catch(() => undefined);
}

/** @throws AppError SHUTTING_DOWN, and what the events throw */
function nextOrSilence(
  next: Promise<IteratorResult<ServerEvent>>,
  { heartbeatMs, gone, stopping }: EventStreamOptions,
): Promise<IteratorResult<ServerEvent> | "silence" | "gone"> {
  return new Promise((resolve, reject) => {
    const settle = (tell: () => void): void => {
      clearTimeout(timer);
      for (const signal of [gone, stopping]) signal.removeEventListener("abort", onAbort);
      tell();
    };
    const onAbort = (): void => settle(() => (gone.aborted ? resolve("gone") : reject(new AppError("SHUTTING_DOWN"))));
    const timer = setTimeout(() => settle(() => resolve("silence")), heartbeatMs);
    if (gone.aborted || stopping.aborted) onAbort();
    else for (const signal of [gone, stopping]) signal.addEventListener("abort", onAbort);
    next.then(
      (result) => settle(() => resolve(result)),
      (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

function renderServerEvent(frame: ServerEvent): Buffer {
  const text = "text" in frame ? frame.text : JSON.stringify(frame.data);
  return renderEvent({ event: frame.event, id: frame.id, text });
}
