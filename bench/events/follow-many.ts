import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { readEvents } from "@attune/contracts/rest/read-events.ts";
import { publishEvent } from "../../apps/platform/src/features/events/index.ts";
import type { Database } from "../../apps/platform/src/infra/db/create-database.ts";

export interface Readers extends AsyncDisposable {
  /** Resolves when every quick reader has got so many events. */
  untilAll(count: number): Promise<void>;
  /** Milliseconds from before the transaction to the reader, of each event at each quick reader since the last call. */
  takeLatencies(): number[];
  /** What quick readers missed, got twice, or got out of order. */
  faults(): string[];
  /** Reads what is left for the slow ones; how many of them the platform has cut off. */
  countCutOff(): Promise<number>;
}

export interface ReaderSettings {
  readonly baseUrl: string;
  readonly token: string;
  readonly quick: number;
  /** Readers that open a stream and take nothing of it. */
  readonly slow: number;
}

/** Opens so many streams of events of one tenant. */
export async function openReaders({ baseUrl, token, quick, slow }: ReaderSettings): Promise<Readers> {
  const open = async (): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${token}` };
    const [response] = (await once(get(`${baseUrl}/api/v1/events`, { headers, agent: false }), "response")) as [
      IncomingMessage,
    ];
    if (response.statusCode !== 200) throw new Error(`A stream is refused with ${response.statusCode}.`);
    return response;
  };
  const received: number[][] = [];
  const responses: IncomingMessage[] = [];
  let latencies: number[] = [];
  let tell = (): void => undefined;
  for (let index = 0; index < quick; index++) {
    const ids: number[] = [];
    received.push(ids);
    const response = await open();
    responses.push(response);
    void read(response, (id, sentAtMs) => {
      ids.push(id);
      if (sentAtMs !== undefined) latencies.push(nowMs() - sentAtMs);
      tell();
    });
  }
  const idle: IncomingMessage[] = [];
  for (let index = 0; index < slow; index++) idle.push(await open());
  return {
    untilAll: (count) =>
      new Promise((resolve) => {
        tell = () => received.every((ids) => ids.length >= count) && resolve();
        tell();
      }),
    takeLatencies: () => {
      const taken = latencies;
      latencies = [];
      return taken;
    },
    faults: () =>
      received.flatMap((ids, reader) =>
        ids.flatMap((id, index) => (index === 0 || id === (ids[index - 1] ?? 0) + 1 ? [] : [`${reader}: ${id}`])),
      ),
    countCutOff: async () => (await Promise.all(idle.map(isCutOff))).filter(Boolean).length,
    [Symbol.asyncDispose]: async () => {
      for (const response of [...responses, ...idle]) response.destroy();
    },
  };
}

const nowMs = (): number => performance.timeOrigin + performance.now();

async function read(response: IncomingMessage, onEvent: (id: number, sentAtMs?: number) => void): Promise<void> {
  try {
    for await (const { event, id, data } of readEvents(response)) {
      if (event !== "change") continue;
      const { sent_at_ms: sentAtMs } = (JSON.parse(data) as { data: { sent_at_ms?: number } }).data;
      onEvent(Number(id), sentAtMs);
    }
  } catch {
    // It was closed at the end of the measurement.
  }
}

/** A stream that is open still is one whose heartbeat comes. */
async function isCutOff(response: IncomingMessage): Promise<boolean> {
  const broken = once(response, "error").then(
    () => true,
    () => true,
  );
  response.resume();
  return Promise.race([broken, sleep(3000, false)]);
}

export interface Publishing {
  readonly tenantId: string;
  readonly modelId: string;
  readonly events: number;
  /** Characters beside the few that every event has. */
  readonly padding: number;
  /** Pause between two transactions. */
  readonly pauseMs: number;
}

/** Publishes events, each in a transaction of its own. */
export async function publishMany(database: Database, given: Publishing): Promise<void> {
  const { tenantId, modelId: resourceId, events, padding, pauseMs } = given;
  const text = "x".repeat(padding);
  for (let index = 0; index < events; index++) {
    const data = { sent_at_ms: nowMs(), text };
    await database.transaction(async (tx) => publishEvent(tx, { tenantId, type: "model.changed", resourceId, data }));
    if (pauseMs > 0) await sleep(pauseMs);
  }
}
