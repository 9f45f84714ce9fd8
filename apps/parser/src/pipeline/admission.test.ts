import { expect, test } from "vitest";
import { createAdmission } from "./admission.ts";

test("as many enter as there are places, and a place given back is free again", () => {
  const admission = createAdmission({ maxInside: 2, workers: 1 });
  const leave = admission.enter();
  admission.enter();

  expect(() => admission.enter()).toThrow(/^QUEUE_FULL/);
  leave();
  leave();
  expect(admission.inside).toBe(1);
  admission.enter();
  expect(() => admission.enter()).toThrow(expect.objectContaining({ details: { retryAfterMs: expect.any(Number) } }));
});

test("nobody enters a closed house", () => {
  const admission = createAdmission({ maxInside: 2, workers: 1 });
  admission.close();
  expect(() => admission.enter()).toThrow(/^SHUTTING_DOWN/);
});
