import { expect, test } from "vitest";
import { textOfRaisedMark } from "./raised-marks.ts";
import type { Word } from "./word.ts";

const glued = (text: string, isGlued = true): Word => ({ text, isGlued }) as Word;

test("signs that are high by design are no superscript", () => {
  expect(textOfRaisedMark("†", undefined)).toBe("†");
  expect(textOfRaisedMark("**", glued("p"))).toBe("**");
  expect(textOfRaisedMark("1", undefined)).toBeUndefined();
});

test("a raised ring is a degree sign, and so is a small o or 0 before a scale of temperature", () => {
  expect(textOfRaisedMark("∘", undefined)).toBe("°");
  expect(textOfRaisedMark("0", glued("C."))).toBe("°");
  expect(textOfRaisedMark("o", glued("Cl"))).toBeUndefined();
  expect(textOfRaisedMark("0", glued("C", false))).toBeUndefined();
});
