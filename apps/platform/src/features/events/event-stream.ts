import { Readable } from "node:stream";
import type { AppError } from "@attune/service-kit/app-error.ts";
import type { Principal } from "../../http/principal.ts";
import { renderHeartbeat, renderProblem, renderReset } from "./render-events.ts";
import type { EventRow } from "./repo.ts";

/** Bytes that may wait for the reader; beyond it nothing is read for it until it has taken them. */
const bufferedBytes = 16 * 1024;

export interface EventFilter {
  readonly resourceKind: string | undefined;
  readonly resourceId: string | undefined;
}

export interface StreamRequest {
  readonly principal: Principal;
  readonly tenantId: string;
  readonly requestId: string;
  /** The event to begin after; the last one of the tenant unless given. */
  readonly after: number | undefined;
  readonly filter: EventFilter;
}

export interface EventStream {
  readonly request: StreamRequest;
  readonly body: Readable;
  /** The last event that was sent or passed over. */
  position(): number;
  /** Whether the reader has taken what was sent, up to the buffer's bound. */
  isReady(): boolean;
  /** Moves on to an event; `bytes` are those of the events up to it that the reader may see. */
  advance(position: number, bytes: readonly Buffer[]): void;
  reset(head: number): void;
  beat(): void;
  /** Tells why it ends. */
  end(error: AppError): void;
  /** Milliseconds for which the reader has taken nothing although something waits for it. */
  stalledMs(): number;
}

interface StreamStart {
  readonly position: number;
  readonly preamble: Buffer;
  /** Called when the reader has taken what it was behind with. */
  readonly onReady: () => void;
}

/** What one reader is sent. Memory does not grow with a slow one: at most one page of events waits above the bound. */
export function createEventStream(request: StreamRequest, { position, preamble, onReady }: StreamStart): EventStream {
  let at = position;
  let isReady = true;
  let sentBytes = 0;
  let taken = { bytes: 0, atMs: performance.now() };
  const body = new Readable({
    highWaterMark: bufferedBytes,
    read: () => {
      if (isReady) return;
      isReady = true;
      onReady();
    },
  });
  const send = (bytes: Buffer): void => {
    sentBytes += bytes.length;
    if (!body.push(bytes)) isReady = false;
  };
  send(preamble);
  return {
    request,
    body,
    position: () => at,
    isReady: () => isReady,
    advance: (next, bytes) => {
      at = next;
      for (const one of bytes) send(one);
    },
    reset: (head) => {
      at = head;
      send(renderReset(head));
    },
    beat: () => {
      if (body.readableLength === 0) send(renderHeartbeat(at));
    },
    end: (error) => {
      send(renderProblem(error, request.requestId));
      body.push(null);
    },
    stalledMs: () => {
      const now = performance.now();
      const bytes = sentBytes - body.readableLength;
      if (bytes > taken.bytes || body.readableLength === 0) taken = { bytes, atMs: now };
      return now - taken.atMs;
    },
  };
}

/** Whether an event is what the reader asked for; what it may see is another question. */
export const isWanted = ({ resourceKind, resourceId }: EventFilter, event: EventRow): boolean =>
  (resourceKind === undefined || resourceKind === event.resourceKind) &&
  (resourceId === undefined || resourceId === event.resourceId);
