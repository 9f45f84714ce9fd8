import { expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";
import { splitMessages } from "./split-messages.ts";

const line = "From a@example.org Mon Jan  1 10:00:00 2024\n";
const split = (text: string): string[] => splitMessages(Buffer.from(text)).map(String);

test("a message begins with a dated From line after an empty line, and nowhere else", () => {
  const first = "Subject: 1\n\nFrom now on 2024 is over.\n\nFrom here to there\n\n";
  expect(split(`${line}${first}${line}Subject: 2\n\nx`)).toEqual([first, "Subject: 2\n\nx"]);
});

test("one mark is taken off lines that were escaped", () => {
  expect(split(`${line}A: b\n\n>From x\n>>From y\n> From z\n`)).toEqual(["A: b\n\nFrom x\n>From y\n> From z\n"]);
});

test("messages beyond the limit are left out and counted", async () => {
  const bytes = Buffer.from(`${line}Subject: s\nFrom: a@example.org\n\nx\n\n`.repeat(5));
  const { document, warnings } = await readSource(
    { bytes, fileName: "", format: "mbox" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget({ ...defaultLimits, maxPages: 2 }),
  );
  expect(document.blocks.filter(({ type }) => type === "heading")).toHaveLength(2);
  expect(warnings).toEqual(["It has 5 messages; those after message 2 were left out (max_pages, PARSER_MAX_PAGES)."]);
});
