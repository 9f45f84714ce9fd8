import { ProblemError } from "@attune/contracts/rest/create-client.ts";
import type { Problem } from "@attune/contracts/rest/schemas.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createEventFeed, type EventFeed } from "./event-feed.ts";

const resource = "019a0000-0000-7000-8000-000000000001";
const problem = (reason: string, code: string): Problem => ({
  type: "about:blank",
  title: reason,
  status: 0,
  detail: reason,
  code,
  reason,
  remedy: "",
  request_id: "",
});

/** A platform whose streams the test writes. */
class ToldPlatform {
  /** The place that each connection asked for. */
  readonly asked: (string | undefined)[] = [];
  readonly told: string[] = [];
  /** Why the next connections are refused. */
  refusal: Problem | undefined;
  closed = 0;
  #stream: { push: (text: string) => void; end: () => void } | undefined;

  readonly feed: EventFeed = createEventFeed({
    open: async (lastId, signal) => {
      this.asked.push(lastId);
      if (this.refusal !== undefined) throw new ProblemError(this.refusal);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          const push = (text: string): void => controller.enqueue(new TextEncoder().encode(text));
          this.#stream = { push, end: () => controller.close() };
          signal.addEventListener("abort", () => {
            this.closed++;
            // As a fetch does; of a stream that ended it does nothing.
            try {
              controller.error(signal.reason);
            } catch {}
          });
        },
      });
      return body;
    },
    onChange: ({ id }) => this.told.push(`change ${id}`),
    onMissed: () => this.told.push("missed"),
    onConnected: (isConnected) => this.told.push(isConnected ? "connected" : "lost"),
    onSignedOut: () => this.told.push("signed out"),
  });

  async send(text: string): Promise<void> {
    this.#stream?.push(text);
    await settle();
  }

  change(id: number): Promise<void> {
    const data = {
      id: String(id),
      type: "model.changed",
      resource_kind: "model",
      resource_id: resource,
      data: {},
      created_at: "2026-01-01T00:00:00.000Z",
    };
    return this.send(`event: change\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async end(): Promise<void> {
    this.#stream?.end();
    await settle();
  }
}

/** Lets what is due now happen. */
const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

let platform: ToldPlatform;
beforeEach(() => {
  vi.useFakeTimers();
  // Delays are as long as they can be.
  vi.spyOn(Math, "random").mockReturnValue(1);
  platform = new ToldPlatform();
});
afterEach(() => {
  platform.feed.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function begin(): Promise<void> {
  platform.feed.start();
  await settle();
  await platform.send("retry: 1000\nid: 5\n\n");
}

test("the first stream makes the page ask anew, and changes are told as they come", async () => {
  await begin();
  await platform.change(6);
  expect(platform.asked).toEqual([undefined]);
  expect(platform.told).toEqual(["connected", "missed", "change 6"]);
});

test("a stream that ends is resumed after the last id, and nothing is taken for missed", async () => {
  await begin();
  await platform.change(6);
  await platform.send(": alive\nid: 9\n\n");
  await platform.end();
  await vi.advanceTimersByTimeAsync(1000);
  await platform.send("id: 9\n\n");
  await platform.change(10);
  expect(platform.asked).toEqual([undefined, "9"]);
  expect(platform.told).toEqual(["connected", "missed", "change 6", "lost", "connected", "change 10"]);
});

test("when the platform has lost the place, the page asks anew", async () => {
  await begin();
  await platform.send('event: reset\nid: 90\ndata: {"id":"90"}\n\n');
  await platform.end();
  await vi.advanceTimersByTimeAsync(1000);
  expect(platform.told).toEqual(["connected", "missed", "missed", "lost"]);
  expect(platform.asked).toEqual([undefined, "90"]);
});

test("it waits longer after each failure, half a minute at most, and begins anew with a stream that stands", async () => {
  await begin();
  platform.refusal = problem("PLATFORM_UNREACHABLE", "unavailable");
  await platform.end();
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    const before = platform.asked.length;
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
    expect(platform.asked.length).toBe(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(platform.asked.length).toBe(before + 1);
  }
  platform.refusal = undefined;
  await vi.advanceTimersByTimeAsync(30_000);
  await platform.send("id: 5\n\n");
  await platform.end();
  const before = platform.asked.length;
  await vi.advanceTimersByTimeAsync(1000);
  expect(platform.asked.length).toBe(before + 1);
});

test("a refusal that lasts is not asked about every second", async () => {
  platform.refusal = problem("EVENT_STREAMS_TAKEN", "resource_exhausted");
  platform.feed.start();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(platform.asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(platform.asked).toHaveLength(2);
});

test("a connection that says nothing for 45 seconds is given up", async () => {
  await begin();
  await vi.advanceTimersByTimeAsync(44_000);
  await platform.send(": alive\nid: 5\n\n");
  await vi.advanceTimersByTimeAsync(44_000);
  expect(platform.closed).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(platform.closed).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(platform.asked).toEqual([undefined, "5"]);
});

test("a problem that the stream tells ends it; without a valid token it is not opened again", async () => {
  await begin();
  const told = problem("SHUTTING_DOWN", "unavailable");
  await platform.send(`event: problem\ndata: ${JSON.stringify(told)}\n\n`);
  await vi.advanceTimersByTimeAsync(1000);
  expect(platform.asked).toHaveLength(2);
  platform.refusal = problem("SIGN_IN_REQUIRED", "unauthenticated");
  await platform.end();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(platform.asked).toHaveLength(3);
  expect(platform.told.at(-1)).toBe("signed out");
});

test("a feed that is stopped closes its connection, tells nothing more, and goes on where it was", async () => {
  await begin();
  platform.feed.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(platform.closed).toBe(1);
  expect(platform.told).toEqual(["connected", "missed"]);
  platform.feed.start();
  platform.feed.start();
  await settle();
  expect(platform.asked).toEqual([undefined, "5"]);
});
