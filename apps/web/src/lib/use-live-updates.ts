import { followEvents, type ChangeEvent } from "@attune/contracts/rest/events.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "./api.ts";
import { createEventFeed } from "./event-feed.ts";
import { useSession } from "./session.tsx";
import { isFollowed, isTouched } from "./touched-queries.ts";

/** Events that come together are answered with one round of requests. */
const collectMs = 150;
/** A page that nobody looks at keeps no connection: over HTTP/1.1 a browser has six for all its tabs. */
const hiddenMs = 10_000;
/** Shorter losses are mended before anybody would have read of them. */
const lostMs = 8000;

/**
 * Keeps what is on the page up to date with what others change. Tells whether the connection has been lost for so long that
 * one should know.
 */
export function useLiveUpdates(): boolean {
  const client = useQueryClient();
  const { tenant, isExpired, expire } = useSession();
  const [isLost, setIsLost] = useState(false);
  const tenantId = tenant?.id;
  useEffect(() => {
    if (tenantId === undefined || isExpired) return undefined;
    let changes: ChangeEvent[] = [];
    let collecting: ReturnType<typeof setTimeout> | undefined;
    let losing: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      const told = changes;
      changes = [];
      collecting = undefined;
      void client.invalidateQueries({ predicate: ({ queryKey }) => told.some((one) => isTouched(queryKey, one)) });
    };
    const setConnected = (isConnected: boolean): void => {
      if (isConnected) {
        clearTimeout(losing);
        losing = undefined;
        setIsLost(false);
      } else losing ??= setTimeout(() => setIsLost(true), lostMs);
    };
    const feed = createEventFeed({
      open: openStream,
      onChange: (event) => {
        changes.push(event);
        collecting ??= setTimeout(refresh, collectMs);
      },
      onMissed: () => void client.invalidateQueries({ predicate: ({ queryKey }) => isFollowed(queryKey) }),
      onConnected: setConnected,
      onSignedOut: expire,
    });
    const stopWatching = whileVisible(feed);
    return () => {
      stopWatching();
      clearTimeout(collecting);
      clearTimeout(losing);
      setIsLost(false);
    };
    // `expire` is made anew with every change of the session, and does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the stream is opened anew for another tenant or token only
  }, [client, tenantId, isExpired]);
  return isLost;
}

async function openStream(lastId: string | undefined, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const headers = lastId === undefined ? {} : { "last-event-id": lastId };
  const { body } = await api.open(followEvents, { query: {}, headers, signal });
  if (body === null) throw new TypeError("The answer has no body.");
  return piecesOf(body);
}

/** Not every browser can iterate over a stream. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Runs a feed while the page is looked at, and a little longer. */
function whileVisible(feed: { readonly start: () => void; readonly stop: () => void }): () => void {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(hiding);
    if (document.visibilityState === "hidden") hiding = setTimeout(feed.stop, hiddenMs);
    else feed.start();
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    clearTimeout(hiding);
    feed.stop();
  };
}
