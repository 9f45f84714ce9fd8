import { expect, test } from "vitest";
import type { EngineReport } from "./job-engine.ts";
import { whyUnavailable } from "./why-unavailable.ts";

const reportOf = (unavailableReason: string): EngineReport => ({
  name: "trainer",
  description: "",
  supports: [],
  available: unavailableReason === "",
  unavailableReason,
  versions: {},
});

test("an engine that can be used is left alone", async () => {
  const makeAvailable = (): void => expect.unreachable();
  expect(await whyUnavailable({ report: async () => reportOf(""), makeAvailable })).toBeUndefined();
});

test("one that cannot be made usable by itself tells its own reason", async () => {
  expect(await whyUnavailable({ report: async () => reportOf("no program") })).toBe("no program");
});

test("one that can is begun with, and tells how far that is", async () => {
  let reason = "not there";
  const makeAvailable = (): void => void (reason = "1/5 a folder");
  expect(await whyUnavailable({ report: async () => reportOf(reason), makeAvailable })).toBe("1/5 a folder");
});
