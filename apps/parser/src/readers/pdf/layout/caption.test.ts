import { describe, expect, test } from "vitest";
import { isCaption } from "./caption.ts";

describe("captions", () => {
  test.each([
    ["Figure 1. Things", true],
    ["Table 2 | Values", true],
    ["Fig. S3 More", true],
    ["Table IV. Values", true],
    ["Figures of speech", false],
    ["Table Islands", false],
    ["Table manners", false],
  ])("%j begins a caption: %j", (words, expected) => {
    expect(isCaption(words)).toBe(expected);
  });
});
