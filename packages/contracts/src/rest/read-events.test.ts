import { expect, test } from "vitest";
import { readEvents, type ServerSentEvent } from "./read-events.ts";

async function read(pieces: readonly (string | Uint8Array)[], ids: string[] = []): Promise<ServerSentEvent[]> {
  const body = async function* () {
    for (const piece of pieces) yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
  };
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(body(), { onId: (id) => ids.push(id) })) events.push(event);
  return events;
}

test("events are the same wherever their bytes are cut", async () => {
  const bytes = new TextEncoder().encode(
    ": hello\r\nid: 1\r\nevent: change\r\ndata: ä\r\ndata:  b\r\n\r\ndata\n\nid: 2\rdata:x\r\r",
  );
  const whole = await read([bytes]);
  expect(whole).toEqual([
    { id: "1", event: "change", data: "ä\n b" },
    { id: "1", event: "message", data: "" },
    { id: "2", event: "message", data: "x" },
  ]);
  expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
});

test("a block without data moves the id and is no event", async () => {
  const ids: string[] = [];
  expect(await read(["id: 7\n\n", ": only a comment\n\n", "data: x\n\n"], ids)).toEqual([
    { id: "7", event: "message", data: "x" },
  ]);
  expect(ids).toEqual(["7", "7", "7"]);
});

test("an event that is cut off is left out, with its id", async () => {
  const ids: string[] = [];
  expect(await read(["id: 1\ndata: a\n\nid: 2\ndata: b\n"], ids)).toHaveLength(1);
  expect(ids).toEqual(["1"]);
});
