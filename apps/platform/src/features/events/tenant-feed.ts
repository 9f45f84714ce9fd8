import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@attune/service-kit/app-error.ts";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import type { Queries } from "../../infra/db/create-database.ts";
import { type EventStream, isWanted } from "./event-stream.ts";
import { keyOf, readStanding, readVisibility, type RightsPorts } from "./read-rights.ts";
import { renderChange } from "./render-events.ts";
import { type EventPage, readPage } from "./repo.ts";

export interface FeedDeps extends RightsPorts {
  readonly queries: Queries;
  readonly logger: Logger;
  /** Ends a stream and forgets it. */
  readonly end: (stream: EventStream, error: AppError) => void;
}

export interface TenantFeed {
  readonly streams: Set<EventStream>;
  /** Says that there may be new events, or a reader that has caught its breath. */
  wake(): void;
  /** Ends the streams of those who may follow no longer, and shows the others that they live. */
  beat(): Promise<void>;
}

const pageEvents = 100;
/** Before what was committed during a round is looked for, so that many commits in a short time cost few queries. */
const pauseMs = 20;
const retryMs = 1000;

/**
 * Gives the events of one tenant to its streams. Streams that stand at the same event share the queries for the next ones, so
 * that a hundred readers cost what one costs; one that is behind gets a page in each round and delays nobody.
 */
export function createTenantFeed(tenantId: string, deps: FeedDeps): TenantFeed {
  const streams = new Set<EventStream>();
  let isAwake = false;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isAwake && streams.size > 0) {
      isAwake = false;
      try {
        const hasMore = await serveRound(tenantId, streams, deps);
        if (isAwake && !hasMore) await sleep(pauseMs);
        isAwake ||= hasMore;
      } catch (error) {
        deps.logger.warn({ error, tenantId }, "events could not be read; tried again in a second");
        isAwake = true;
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    isRunning = false;
  };
  return {
    streams,
    wake: () => {
      isAwake = true;
      if (!isRunning) void run();
    },
    beat: async () => {
      const { queries, authorise, end } = deps;
      // Those that come while the database is asked were let in a moment ago.
      const asked = [...streams];
      const principals = asked.map(({ request }) => request.principal);
      const standingOf = await readStanding(queries, tenantId, { principals, authorise });
      for (const stream of asked.filter((one) => streams.has(one))) {
        const standing = standingOf(stream.request.principal);
        if (standing instanceof AppError) end(stream, standing);
        else stream.beat();
      }
    },
  };
}

/** Gives every stream that is ready its next page; whether there is more for any of them. */
async function serveRound(tenantId: string, streams: ReadonlySet<EventStream>, deps: FeedDeps): Promise<boolean> {
  const groups = new Map<number, EventStream[]>();
  for (const stream of streams) {
    if (stream.isReady()) groups.set(stream.position(), [...(groups.get(stream.position()) ?? []), stream]);
  }
  let hasMore = false;
  for (const [after, group] of groups) {
    const page = await readPage(deps.queries, tenantId, { after, limit: pageEvents });
    if (page.head === after && !page.hasGap) continue;
    await servePage(page, { tenantId, group, streams }, deps);
    hasMore ||= group.some((stream) => streams.has(stream) && stream.isReady() && stream.position() < page.head);
  }
  return hasMore;
}

interface Group {
  readonly tenantId: string;
  readonly group: readonly EventStream[];
  /** Those that are open still. */
  readonly streams: ReadonlySet<EventStream>;
}

async function servePage(page: EventPage, { tenantId, group, streams }: Group, deps: FeedDeps): Promise<void> {
  const { queries, authorise, findProtected, end } = deps;
  const principals = group.map(({ request }) => request.principal);
  const events = page.hasGap ? [] : page.events;
  const visibleTo = await readVisibility(queries, tenantId, { events, findProtected });
  // Last, so that as little as can be happens between the look at the rights and the sending.
  const standingOf = await readStanding(queries, tenantId, { principals, authorise });
  const rendered = events.map((event) => ({
    event,
    key: keyOf(event.resourceKind, event.resourceId),
    bytes: renderChange(event),
  }));
  for (const stream of group.filter((one) => streams.has(one))) {
    const standing = standingOf(stream.request.principal);
    if (standing instanceof AppError) end(stream, standing);
    else if (page.hasGap) stream.reset(page.head);
    else {
      const visible = visibleTo(standing);
      const sent = rendered.filter(({ event, key }) => visible.has(key) && isWanted(stream.request.filter, event));
      stream.advance(
        events.at(-1)?.seq ?? stream.position(),
        sent.map(({ bytes }) => bytes),
      );
    }
  }
}
