import { expect, test } from "vitest";
import { GarbleMeter } from "./garbled-text.ts";

const isGarbled = (text: string) =>
  new GarbleMeter(Array.from(text.replace(/\s/g, ""), (letter) => ({ text: letter }))).isGarbled;
const english = "The quick brown fox jumps over the lazy dog and goes on to other things. ".repeat(8);

test.each([
  ["English", english, false],
  ["Chinese", "全世界无产者联合起来".repeat(10), false],
  ["a table of figures", "0.12 3.45 6.78 ".repeat(30), false],
  ["a few replacement characters", `${english}\uFFFD\uFFFD`, false],
  ["private-use glyphs", "\uE001\uE002\uE003".repeat(30), true],
  ["replacement characters", "text\uFFFD\uFFFD".repeat(30), true],
  [
    "letters shifted in the alphabet",
    "Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj dqg jrhv rq ".replace(/[aeiouy]/g, "x").repeat(8),
    true,
  ],
])("%s", (_, text, expected) => {
  expect(isGarbled(text)).toBe(expected);
});
