import { expect, test } from "vitest";
import { createFakeDevices } from "./devices.fixture.ts";
import { findCuda } from "./find-cuda.ts";

test("GPUs that can be used have the CUDA of their driver", () => {
  expect(findCuda({ isSimulated: false, ...createFakeDevices(2) })).toEqual({ version: "13.0" });
});

test("no GPU, simulated ones, a driver that fails and GPUs that all fail have none", () => {
  expect(findCuda({ isSimulated: false, ...createFakeDevices(0) })).toBeUndefined();
  expect(findCuda({ isSimulated: true, ...createFakeDevices(2) })).toBeUndefined();
  const failing = createFakeDevices(2);
  failing.fail("The driver does not answer.");
  expect(findCuda({ isSimulated: false, ...failing })).toBeUndefined();
  const lost = createFakeDevices(2);
  lost.set(0, { fault: "It is lost." });
  expect(findCuda({ isSimulated: false, ...lost })).toEqual({ version: "13.0" });
  lost.set(1, { fault: "It is lost." });
  expect(findCuda({ isSimulated: false, ...lost })).toBeUndefined();
});
