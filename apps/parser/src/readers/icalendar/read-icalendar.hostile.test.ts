import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

const read = (content: string, limits: Partial<typeof defaultLimits> = {}) =>
  readSource(
    { bytes: Buffer.from(content), fileName: "a.ics", format: "ics" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget({ ...defaultLimits, ...limits }),
  );

const event = (lines: string): string => `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${lines}\nEND:VEVENT\nEND:VCALENDAR\n`;
const many = 1 << 18;

test("two hundred thousand events are read", { timeout: 120_000 }, async () => {
  const content = `BEGIN:VCALENDAR\n${"BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n".repeat(200_000)}END:VCALENDAR\n`;

  const { document } = await read(content);

  expect(document.blocks).toHaveLength(200_000);
});

test("more blocks than a document may have are refused before they fill the memory", async () => {
  const content = "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n".repeat(5000);

  await expect(read(content, { maxBlocks: 4000 })).rejects.toMatchObject({ reason: "LIMIT_EXCEEDED" });
});

test("reading ends with the time for it, and says so", async () => {
  const { warnings } = await read("BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n".repeat(100), { timeoutMs: 0 });

  expect(warnings).toEqual(["Time ran out: the last entries of the calendar were left out."]);
});

test("an entry of a hundred thousand properties keeps the first half, and says so", async () => {
  const { warnings } = await read(event("ATTENDEE:mailto:a@harbour.example\n".repeat(100_000)));

  expect(warnings).toContain("Properties of very long entries were left out: 50000.");
});

test("files in a calendar count as members of an archive", async () => {
  const attachment = "ATTACH;ENCODING=BASE64;FMTTYPE=text/plain;VALUE=BINARY:YWJj\n";

  const { warnings } = await read(event(attachment.repeat(20)), { maxArchiveEntries: 10 });

  expect(warnings.some((warning) => warning.includes("PARSER_MAX_ARCHIVE_ENTRIES"))).toBe(true);
});

describe("long lines take time in proportion to their length", () => {
  test.each([
    ["letters", `SUMMARY:${"a".repeat(8 * many)}`],
    ["blanks", `SUMMARY:${" ".repeat(8 * many)}x`],
    ["blanks in a place", `LOCATION:${" ".repeat(4 * many)}x\\n${" ".repeat(4 * many)}`],
    ["blanks in a description", `DESCRIPTION:x${" ".repeat(4 * many)}x\\n${" ".repeat(4 * many)}`],
    ["blanks in coordinates", `GEO:1${" ".repeat(8 * many)}2`],
    ["backslashes", `DESCRIPTION:${"\\".repeat(8 * many)}`],
    ["escaped commas", `CATEGORIES:${"\\,".repeat(4 * many)}`],
    ["line ends", `LOCATION:${"\\n".repeat(4 * many)}`],
    ["parameters", `SUMMARY${";A=1".repeat(2 * many)}:x`],
    ["quotes", `SUMMARY;A=${'"'.repeat(8 * many + 1)}:x`],
    ["rules", `RRULE:FREQ=DAILY;BYDAY=${"MO,".repeat(2 * many)}`],
    ["dates", `EXDATE:${"20250101,".repeat(many / 2)}`],
    ["folds", `SUMMARY:a${"\n a".repeat(2 * many)}`],
    ["soft breaks", `SUMMARY;ENCODING=QUOTED-PRINTABLE:a${"=\na".repeat(2 * many)}`],
    ["loose lines", `DESCRIPTION:a${"\nsome text".repeat(many / 2)}`],
    ["tags", `DESCRIPTION:${"<a ".repeat(many)}`],
    ["beginnings", "BEGIN:X\n".repeat(many)],
    ["ends", `${"BEGIN:X\n".repeat(100)}${"END:Y\n".repeat(many)}`],
    ["joined ends", `SUMMARY:${"END:VEVENT".repeat(many / 2)}`],
  ])("%s", { timeout: 60_000 }, async (_, lines) => {
    const before = process.cpuUsage();

    await read(event(lines), { maxBlocks: 10_000_000 });

    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(10);
  });
});
