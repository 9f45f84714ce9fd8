import { workerEvent } from "@attune/contracts/compute/worker-events.ts";
import { expect, test } from "vitest";
import { maskEvent } from "./mask-event.ts";

const base = { v: 1, seq: 1, ts: 1, rank: 0 };

test("what an event says in words is told without secrets, the rest as it is", () => {
  const log = workerEvent.parse({ ...base, type: "log", level: "info", message: "token=hf_abcdefghijklmnop" });
  expect(maskEvent(log)).toEqual({ ...log, message: "token=***" });
  const error = workerEvent.parse({
    ...base,
    type: "error",
    code: "engine_failed",
    message: "401 for https://me:hunter22@hub.example",
    traceback_tail: "headers = {'Authorization': 'Bearer abcdefgh'}",
  });
  expect(maskEvent(error)).toMatchObject({
    message: "401 for https://***@hub.example",
    traceback_tail: "headers = {'Authorization': 'Bearer ***'}",
    code: "engine_failed",
  });
});
