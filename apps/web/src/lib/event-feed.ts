import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import { type ChangeEvent, changeEventSchema } from "@attune/contracts/rest/events.ts";
import { readEvents, type ServerSentEvent } from "@attune/contracts/rest/read-events.ts";
import { problemSchema } from "@attune/contracts/rest/schemas.ts";

export interface EventFeedDeps {
  /** Opens the stream after an event, or at the present. @throws ProblemError */
  readonly open: (lastId: string | undefined, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  readonly onChange: (event: ChangeEvent) => void;
  /** Changes may have been missed: what is on the page must be asked for anew. */
  readonly onMissed: () => void;
  /** False from the loss of a connection until the next one stands. */
  readonly onConnected: (isConnected: boolean) => void;
  /** The platform no longer takes the token; the feed has stopped. */
  readonly onSignedOut: () => void;
}

export interface EventFeed {
  /** Begins, or goes on after the last event that came. */
  start(): void;
  stop(): void;
}

/** The platform shows three times in it that the stream lives. */
const silenceMs = 45_000;
const firstDelayMs = 1000;
const longestDelayMs = 30_000;

/** Follows the events of the tenant, connects again whenever the stream ends, and resumes where it was. */
export function createEventFeed(deps: EventFeedDeps): EventFeed {
  const place: Place = { lastId: undefined };
  let running: AbortController | undefined;
  return {
    start: () => {
      if (running !== undefined) return;
      running = new AbortController();
      void keepReading(deps, place, running.signal);
    },
    stop: () => {
      running?.abort();
      running = undefined;
    },
  };
}

interface Place {
  lastId: string | undefined;
}

async function keepReading(deps: EventFeedDeps, place: Place, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const onStands = (): void => {
      failures = 0;
      deps.onConnected(true);
    };
    const error = await readOnce(deps, place, { signal, onStands }).catch((thrown: unknown) => thrown);
    if (signal.aborted) return;
    deps.onConnected(false);
    const told = error instanceof ProblemError ? error.problem : undefined;
    if (told?.reason === "SIGN_IN_REQUIRED") return deps.onSignedOut();
    // It will be refused for a while; a connection that broke is best mended at once.
    const isRefusal = told?.code === "resource_exhausted" || told?.code === "permission_denied";
    const delayMs = isRefusal ? longestDelayMs : Math.min(longestDelayMs, firstDelayMs * 2 ** failures);
    // Pages that lost their connection together must not come back together.
    await pause(delayMs * (0.5 + Math.random() / 2), signal);
  }
}

interface Reading {
  readonly signal: AbortSignal;
  /** Called when the platform has begun to tell. */
  readonly onStands: () => void;
}

/** Reads one stream to its end. @throws whatever ended it, unless it just ended. */
async function readOnce(deps: EventFeedDeps, place: Place, { signal, onStands }: Reading): Promise<void> {
  const connection = new AbortController();
  const close = (): void => connection.abort();
  signal.addEventListener("abort", close);
  let silence = setTimeout(close, silenceMs);
  const onAlive = (): void => {
    clearTimeout(silence);
    silence = setTimeout(close, silenceMs);
  };
  let isStanding = false;
  const onId = (id: string): void => {
    const isNew = place.lastId === undefined;
    place.lastId = id;
    if (isStanding) return;
    isStanding = true;
    onStands();
    if (isNew) deps.onMissed();
  };
  try {
    const body = await deps.open(place.lastId, connection.signal);
    for await (const event of readEvents(body, { onAlive, onId })) tell(deps, event);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", close);
    close();
  }
}

function tell({ onChange, onMissed }: EventFeedDeps, { event, data }: ServerSentEvent): void {
  if (event === "reset") return onMissed();
  const told: unknown = JSON.parse(data);
  if (event === "problem") throw new ProblemError(problemSchema.parse(told));
  if (event === "change") onChange(changeEventSchema.parse(told));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      globalThis.removeEventListener?.("online", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    globalThis.addEventListener?.("online", end);
  });
}
