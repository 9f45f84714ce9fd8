import { expect, test } from "vitest";
import { runRaces } from "./run-races.ts";

test("of eight callers who do the same at once, one wins and the others are told why not", async () => {
  const results = await runRaces(4);
  expect(results.flatMap(({ race, violations }) => violations.map((violation) => `${race}, ${violation}`))).toEqual([]);
}, 300_000);
