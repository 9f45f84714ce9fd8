import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Database } from "../../infra/db/create-database.ts";
import { createListener, type Listener, type ListenerSettings } from "../../infra/db/create-listener.ts";
import type { EventStreamSettings } from "./event-settings.ts";
import { createEventStream, type EventStream, type StreamRequest } from "./event-stream.ts";
import { eventChannel } from "./publish-event.ts";
import type { RightsPorts } from "./read-rights.ts";
import { renderStart } from "./render-events.ts";
import { readHead } from "./repo.ts";
import { createTenantFeed, type TenantFeed } from "./tenant-feed.ts";

export interface EventHubDeps extends RightsPorts {
  readonly database: Database;
  readonly listenerSettings: ListenerSettings;
  readonly settings: EventStreamSettings;
  readonly logger: Logger;
}

export interface EventHub {
  /**
   * A stream of events that never ends of itself. Whatever is committed after this resolves is in it.
   * @throws AppError `EVENT_STREAMS_TAKEN`, `SHUTTING_DOWN`, `CALL_CANCELLED`.
   */
  open(request: StreamRequest, signal: AbortSignal): Promise<Readable>;
  /** Ends every stream, with the reason, and takes no more. */
  close(): Promise<void>;
}

interface Hub extends EventHubDeps {
  readonly feeds: Map<string, TenantFeed>;
  /** Those that are being opened, too. */
  readonly open: Set<StreamRequest>;
  isClosed: boolean;
  listener: Listener | undefined;
}

/** How often the database is looked at while it cannot be listened to. */
const pollMs = 1000;
const refusedForMs = 30_000;
/** Time for the last words of streams to leave. */
const farewellMs = 1000;

/** All streams of events of this node, over one connection that listens from the first stream on. */
export function createEventHub(deps: EventHubDeps): EventHub {
  const hub: Hub = { ...deps, feeds: new Map(), open: new Set(), isClosed: false, listener: undefined };
  const timers = [
    setInterval(() => hub.listener?.isListening() === false && wakeAll(hub), pollMs),
    setInterval(() => void beat(hub), deps.settings.heartbeatMs),
  ];
  for (const timer of timers) timer.unref();
  return {
    open: async (request, signal) => {
      if (hub.isClosed) throw new AppError("SHUTTING_DOWN");
      requireRoom(hub, request);
      hub.open.add(request);
      signal.addEventListener("abort", () => hub.open.delete(request));
      try {
        return await openStream(hub, request, signal);
      } catch (error) {
        hub.open.delete(request);
        throw error;
      }
    },
    close: async () => {
      hub.isClosed = true;
      for (const timer of timers) clearInterval(timer);
      const streams = [...hub.feeds.values()].flatMap((feed) => [...feed.streams]);
      for (const stream of streams) endStream(hub, stream, new AppError("SHUTTING_DOWN"));
      const said = Promise.allSettled(streams.map(({ body }) => finished(body)));
      await Promise.race([said, sleep(farewellMs, undefined, { ref: false })]);
      await hub.listener?.close();
    },
  };
}

async function openStream(hub: Hub, request: StreamRequest, signal: AbortSignal): Promise<Readable> {
  const { tenantId } = request;
  hub.listener ??= listen(hub);
  const position = request.after ?? (await readHead(hub.database.queries, tenantId));
  if (signal.aborted) throw new AppError("CALL_CANCELLED");
  if (hub.isClosed) throw new AppError("SHUTTING_DOWN");
  const feed = feedOf(hub, tenantId);
  const preamble = renderStart(position);
  const stream = createEventStream(request, { position, preamble, onReady: () => feed.wake() });
  feed.streams.add(stream);
  signal.addEventListener("abort", () => forget(hub, stream));
  feed.wake();
  return stream.body;
}

const listen = (hub: Hub): Listener =>
  createListener(hub.listenerSettings, {
    channel: eventChannel,
    logger: hub.logger,
    onNotify: (tenantId) => hub.feeds.get(tenantId)?.wake(),
    onListening: () => wakeAll(hub),
  });

function wakeAll({ feeds }: Hub): void {
  for (const feed of feeds.values()) feed.wake();
}

function feedOf(hub: Hub, tenantId: string): TenantFeed {
  const known = hub.feeds.get(tenantId);
  if (known !== undefined) return known;
  const { authorise, findProtected, logger } = hub;
  const { queries } = hub.database;
  const end = (stream: EventStream, error: AppError): void => endStream(hub, stream, error);
  const feed = createTenantFeed(tenantId, { authorise, findProtected, logger, queries, end });
  hub.feeds.set(tenantId, feed);
  return feed;
}

function forget({ feeds }: Hub, stream: EventStream): void {
  const { tenantId } = stream.request;
  const feed = feeds.get(tenantId);
  feed?.streams.delete(stream);
  if (feed?.streams.size === 0) feeds.delete(tenantId);
}

function endStream(hub: Hub, stream: EventStream, error: AppError): void {
  forget(hub, stream);
  stream.end(error);
  // One that takes nothing would keep its last words for ever.
  setTimeout(() => stream.body.destroy(), hub.settings.stallTimeoutMs).unref();
}

function requireRoom({ open, settings }: Hub, wanted: StreamRequest): void {
  const count = (isCounted: (request: StreamRequest) => boolean): number => [...open].filter(isCounted).length;
  const ofUser = count(({ principal }) => principal.userId === wanted.principal.userId);
  const ofTenant = count(({ tenantId }) => tenantId === wanted.tenantId);
  if (ofUser < settings.maxPerUser && ofTenant < settings.maxPerTenant) return;
  const whose = ofUser >= settings.maxPerUser ? `You have ${ofUser}` : `The tenant has ${ofTenant}`;
  throw new AppError("EVENT_STREAMS_TAKEN", {
    detail: `${whose} streams of events open on this node.`,
    retryAfterMs: refusedForMs,
  });
}

async function beat(hub: Hub): Promise<void> {
  const { settings, logger } = hub;
  for (const feed of hub.feeds.values()) {
    for (const stream of feed.streams) {
      if (stream.stalledMs() <= settings.stallTimeoutMs) continue;
      const { requestId, principal } = stream.request;
      logger.info({ requestId, userId: principal.userId }, "a reader of events takes nothing and is cut off");
      forget(hub, stream);
      stream.body.destroy();
    }
    await feed.beat().catch((error: unknown) => logger.warn({ error }, "tokens of streams could not be checked"));
    // What a connection that is dead and does not know it has not told.
    feed.wake();
  }
}
