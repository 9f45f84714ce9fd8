import { expect, it } from "vitest";
import { summarise } from "./summary.ts";

it("tells the worst tenth and the worst document, and leaves out those without a value", () => {
  const values = Array.from({ length: 20 }, (_, index) => [`d${index}`, index + 1] as const);
  expect(summarise(new Map([...values, ["none", undefined]]))).toEqual({
    mean: 10.5,
    worstTenth: 1.5,
    min: 1,
    worst: "d0",
    count: 20,
  });
  expect(summarise(new Map([["none", undefined]]))).toBeUndefined();
});
