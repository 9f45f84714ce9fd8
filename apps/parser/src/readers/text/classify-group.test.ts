import { expect, test } from "vitest";
import { classifyGroup } from "./classify-group.ts";

test.each([
  [
    "wrapped",
    [
      "A paragraph of prose that was wrapped by an editor at a width of seventy",
      "columns, so that its line ends mean nothing at all and it is one paragraph",
      "in the end.",
    ],
  ],
  [
    "wrapped",
    [
      "這是一個很長的段落，編輯器在固定的寬度上把它折成了好幾行，每一",
      "行的末尾都沒有任何意義，所以它們應該被連接成一個完整的段落才",
      "對。",
    ],
  ],
  ["lines", ["Ada Example", "12 Long Street", "London"]],
  [
    "lines",
    [
      "Shall I compare thee to a summer's day?",
      "Thou art more lovely and more temperate:",
      "Rough winds do shake the darling buds of May,",
      "And summer's lease hath all too short a date;",
    ],
  ],
  [
    "lines",
    [
      "2026-01-02 03:04:05 start of the service",
      "2026-01-02 03:04:06 end of the service and more",
      "2026-01-02 03:04:07 gone",
    ],
  ],
  ["lines", ["Introduction ........................ 1", "The second chapter .................. 7"]],
  ["exact", ["Item          Price", "Tea           2"]],
  ["exact", ["int main() {", "  return 0;", "}"]],
  ["paragraphs", [`${"word ".repeat(60)}end.`, `${"word ".repeat(20)}end.`]],
])("%s: %j", (kind, lines) => {
  expect(classifyGroup(lines)).toBe(kind);
});
