import { expect, test } from "vitest";
import { joinLines } from "./join-lines.ts";

test.each([
  [["one", "two"], "one two"],
  [["中文", "文字"], "中文文字"],
  [["well-", "known"], "well-known"],
  [["ends in 1-", "2"], "ends in 1- 2"],
  [["한국어", "문장"], "한국어 문장"],
])("%j becomes %j", (lines, joined) => {
  expect(joinLines(lines)).toBe(joined);
});
