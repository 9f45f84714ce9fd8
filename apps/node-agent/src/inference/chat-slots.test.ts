import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import { createChatSlots } from "./chat-slots.ts";

const never = new AbortController().signal;

test("chats have their turn in the order in which they came", async () => {
  const slots = createChatSlots(2, 10);
  const order: number[] = [];
  const places = [0, 1, 2, 3].map((index) => {
    const place = slots.take(never);
    void place.turn.then(() => order.push(index));
    return place;
  });
  await Promise.resolve();
  expect([order, slots.active, slots.waiting]).toEqual([[0, 1], 2, 2]);
  places[1]?.leave();
  places[1]?.leave();
  await places[2]?.turn;
  expect([order, slots.active, slots.waiting]).toEqual([[0, 1, 2], 2, 1]);
  for (const place of places) place.leave();
  expect([slots.active, slots.waiting]).toEqual([0, 0]);
});

test("beyond the bound nobody is taken, and is told when to come again", () => {
  const slots = createChatSlots(1, 1);
  slots.take(never);
  slots.take(never);
  expect(() => slots.take(never)).toThrow(
    expect.objectContaining({ reason: "MODEL_QUEUE_FULL", details: expect.objectContaining({ retryAfterMs: 1000 }) }),
  );
});

test("who is aborted while waiting gives its place away", async () => {
  const slots = createChatSlots(1, 2);
  const first = slots.take(never);
  const leaving = new AbortController();
  const second = slots.take(leaving.signal);
  const third = slots.take(never);
  leaving.abort(new Error("gone"));
  await expect(second.turn).rejects.toThrow("gone");
  second.leave();
  expect(slots.waiting).toBe(1);
  first.leave();
  await third.turn;
  expect(slots.active).toBe(1);
});

test("when the model is gone, whoever waits is told why", async () => {
  const slots = createChatSlots(1, 2);
  slots.take(never);
  const waiting = slots.take(never);
  slots.close(new AppError("INFERENCE_ENGINE_DIED"));
  await expect(waiting.turn).rejects.toMatchObject({ reason: "INFERENCE_ENGINE_DIED" });
});
