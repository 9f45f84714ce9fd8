import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "@attune/service-kit/create-logger.ts";
import pg from "pg";

export interface ListenerSettings {
  readonly url: string;
  readonly connectTimeoutMs: number;
}

export interface ListenerDeps {
  /** A plain word. */
  readonly channel: string;
  readonly logger: Logger;
  readonly onNotify: (payload: string) => void;
  /** Called whenever listening begins: what was notified before has not been heard. */
  readonly onListening: () => void;
}

export interface Listener {
  /** While it does not listen, notifications are lost and one must look for oneself. */
  isListening(): boolean;
  close(): Promise<void>;
}

/** How often a connection that tells nothing is asked whether it is there. */
const checkEveryMs = 15_000;
const firstRetryMs = 200;
const longestRetryMs = 10_000;

/** Listens on one connection of its own, and connects again whenever it is lost. */
export function createListener(
  settings: ListenerSettings,
  { channel, logger, onNotify, onListening }: ListenerDeps,
): Listener {
  const closing = new AbortController();
  let isListening = false;
  const listen = async (): Promise<void> => {
    await using connection = await connect(settings);
    connection.client.on("notification", ({ payload = "" }) => onNotify(payload));
    await connection.client.query(`listen ${channel}`);
    isListening = true;
    onListening();
    await Promise.race([connection.ended, failingCheck(connection.client, closing.signal)]);
  };
  const keepListening = async (): Promise<void> => {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      try {
        await listen();
        failures = 0;
      } catch (error) {
        logger.warn({ error: String(error) }, "the database cannot be listened to; it is polled meanwhile");
      }
      isListening = false;
      const longest = Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const done = keepListening();
  return {
    isListening: () => isListening,
    close: async () => {
      closing.abort();
      await done;
    },
  };
}

interface Connection extends AsyncDisposable {
  readonly client: pg.Client;
  readonly ended: Promise<void>;
}

async function connect({ url, connectTimeoutMs }: ListenerSettings): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
    keepAlive: true,
    application_name: "attune-platform-listener",
  });
  const ended = new Promise<void>((resolve) => {
    client.on("end", () => resolve());
    client.on("error", () => resolve());
  });
  await client.connect();
  // Not waited for: the other side may be gone.
  return { client, ended, [Symbol.asyncDispose]: async () => void client.end().catch(() => undefined) };
}

/** Resolves when the other side no longer answers, or when `signal` is aborted. */
async function failingCheck(client: pg.Client, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await sleep(checkEveryMs, undefined, { signal });
      await client.query("select 1");
    }
  } catch {
    // What the caller waits for.
  }
}
