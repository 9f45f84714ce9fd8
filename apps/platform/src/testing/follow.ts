import type { ApiClient } from "@attune/contracts/rest/create-client.ts";
import type { QueryInputOf } from "@attune/contracts/rest/define-route.ts";
import { type ChangeEvent, changeEventSchema, followEvents } from "@attune/contracts/rest/events.ts";
import { readEvents } from "@attune/contracts/rest/read-events.ts";
import { problemSchema } from "@attune/contracts/rest/schemas.ts";

export interface Follower extends AsyncDisposable {
  /** All that came so far. */
  readonly changes: readonly ChangeEvent[];
  /** Ids of `reset` events that came so far. */
  readonly resets: readonly string[];
  /** The place to resume after. */
  lastId(): string;
  /** Resolves as soon as what came satisfies; rejects when the stream ends before. */
  until(isEnough: (changes: readonly ChangeEvent[]) => boolean): Promise<readonly ChangeEvent[]>;
  /** Resolves when the stream has ended, with the reason that it told. */
  readonly ended: Promise<string | undefined>;
}

type Query = NonNullable<QueryInputOf<typeof followEvents>>;

/** Opens a stream of events and reads it; whatever is committed after this resolves comes. */
export async function follow(client: ApiClient, query: Query = {}, lastEventId?: string): Promise<Follower> {
  const controller = new AbortController();
  const { signal } = controller;
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await client.open(followEvents, { query, headers, signal });
  const changes: ChangeEvent[] = [];
  const resets: string[] = [];
  const waiting = new Set<() => void>();
  let id = "";
  let reason: string | undefined;
  let isOpen = true;
  const started = Promise.withResolvers<void>();
  const read = async (): Promise<string | undefined> => {
    const onId = (next: string): void => {
      id = next;
      started.resolve();
      for (const look of waiting) look();
    };
    for await (const { event, data } of readEvents(response.body ?? new ReadableStream(), { onId })) {
      const told: unknown = JSON.parse(data);
      if (event === "change") changes.push(changeEventSchema.parse(told));
      if (event === "reset") resets.push(id);
      if (event === "problem") ({ reason } = problemSchema.parse(told));
      for (const look of waiting) look();
    }
    return reason;
  };
  const ended = read()
    .catch(() => reason)
    .finally(() => {
      isOpen = false;
      started.resolve();
      for (const look of waiting) look();
    });
  await started.promise;
  return {
    changes,
    resets,
    lastId: () => id,
    until: (isEnough) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (isEnough(changes)) resolve(changes);
          else if (!isOpen) reject(new Error(`The stream ended (${reason}) after ${changes.length} events.`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    ended,
    [Symbol.asyncDispose]: async () => {
      controller.abort();
      await ended;
    },
  };
}
