import { expect, test } from "vitest";
import { nodeReasons } from "./node-reasons.ts";
import { parserReasons } from "./reasons.ts";

// An error is made by its name alone, so that nobody could tell whose words it is to have.
test("a reason that the parser and the node share has the same words in both", () => {
  const shared = Object.entries(nodeReasons).flatMap(([name, { sentence, remedy }]) => {
    const ofParser = Object.entries(parserReasons).find(([other]) => other === name)?.[1];
    return ofParser === undefined ? [] : [{ node: { sentence, remedy }, parser: ofParser }];
  });
  expect(shared).not.toEqual([]);
  for (const { node, parser } of shared) expect(parser).toMatchObject(node);
});
