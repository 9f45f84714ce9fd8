import { expect, test } from "vitest";
import { validate } from "./testing/dataset-rows.ts";

// Of these sizes each would take minutes where the time grows with their square.

test("a number with a long run of zeros", async () => {
  const { findings } = await validate(`{"text":0.1${"0".repeat(1_000_000)}1}`, { fileType: "jsonl" });
  expect(findings.map(({ code }) => code)).toContain("NUMBER_PRECISION");
});

test("a header of CSV with many columns, of which the last stands twice", async () => {
  const columns = Array.from({ length: 300_000 }, (_, index) => `c${index}`);
  expect((await validate(`${columns.join()}\n`, { fileType: "csv" })).findings).not.toContainEqual(
    expect.objectContaining({ code: "CSV_DUPLICATE_COLUMN" }),
  );
  const { findings } = await validate(`${columns.join()},c7\n`, { fileType: "csv" });
  expect(findings[0]).toMatchObject({
    code: "CSV_DUPLICATE_COLUMN",
    first: [{ message: expect.stringContaining('"c7"') as string }],
  });
});

test("keys that stand twice in one row are all counted, and the first of them told", async () => {
  const { findings } = await validate(`{"text":"x"${',"a":1'.repeat(400_000)}}`, { fileType: "jsonl" });
  const { count, first = [] } = findings.find(({ code }) => code === "DUPLICATE_KEY") ?? {};
  expect([count, first.length, first[0]?.column, first[1]?.column]).toEqual([399_999, 20, 19, 25]);
});

test("an array of many small rows without a line feed, and one with some", async () => {
  const { counts } = await validate(`[${"1,".repeat(1_000_000)}1]`, { fileType: "json" });
  expect(counts).toMatchObject({ raw: 1_000_001, invalid: 1_000_001 });
  const { findings } = await validate(`[1,\n1,1,\n\n1, 1\n]`, { fileType: "json" });
  expect(findings[0]?.first.map(({ line }) => line)).toEqual([1, 2, 2, 4, 4]);
});

test("findings of one row are all counted, also where there are very many", async () => {
  const { findings } = await validate(`{"messages":[${"0,".repeat(300_000)}0]}`, { fileType: "jsonl" });
  expect(Math.max(...findings.map(({ count }) => count))).toBeGreaterThanOrEqual(300_001);
});
