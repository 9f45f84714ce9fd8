import { describe, expect, test } from "vitest";
import { createProbe } from "../../detection/create-probe.ts";
import { detectFormat } from "../../detection/detect-format.ts";
import { normaliseDocument } from "../../document/normalise-document.ts";
import { renderDocument } from "../../document/render/render-document.ts";
import * as formatModules from "../../formats.ts";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { readSource } from "../../reading/read-source.ts";

async function read(content: string | Uint8Array) {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const { document, warnings } = await readSource(
    { bytes, fileName: "a.ics", format: "ics" },
    { pages: [], headersFooters: "drop", images: "placeholder" },
    new Budget(defaultLimits),
  );
  const markdown = renderDocument(normaliseDocument(document), {
    outputFormat: "markdown",
    tables: "auto",
    images: "placeholder",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  });
  return { markdown, metadata: document.metadata, warnings };
}

const calendar = (...lines: readonly string[]): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: readonly string[]): string => calendar("BEGIN:VEVENT", ...lines, "END:VEVENT");

describe("lines", () => {
  test("are unfolded, and a character that a fold cut in two is whole again", async () => {
    const folded = Buffer.concat([
      Buffer.from(
        "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Gr\xc3\r\n \xb6\xc3\n\t\x9fe\r\n \r\n  of sh\r\n ips\r\n",
        "latin1",
      ),
      Buffer.from("END:VEVENT\r\nEND:VCALENDAR\r\n"),
    ]);

    const { markdown, warnings } = await read(folded);

    expect(markdown).toBe("# Größe of ships\n");
    expect(warnings).toEqual([]);
  });

  test("escapes stand for what they mean, other backslashes for themselves", async () => {
    const { markdown } = await read(event(String.raw`SUMMARY:a\, b\; c \\n d\: \x`, String.raw`DESCRIPTION:1\n\N2`));

    expect(markdown).toBe("# a, b; c \\n d: \\x\n\n1\n\n2\n");
  });

  test("quotes in parameters protect what separates elsewhere, and RFC 6868 escapes are undone", async () => {
    const { markdown } = await read(
      event("SUMMARY:s", `ORGANIZER;CN="Holm; Anna: x, ^'A^'";X=1:mailto:anna@harbour.example`),
    );

    expect(markdown).toContain('**Organizer:** Holm; Anna: x, "A" (anna@harbour.example)');
  });

  test("without the quote that ends a parameter the value begins at the first colon", async () => {
    const { markdown } = await read(event('SUMMARY;X="open:The value'));

    expect(markdown).toBe("# The value\n");
  });

  test.each(["\n", "\r", "\r\n"])("may end in %j", async (lineEnd) => {
    const { markdown, warnings } = await read(event("SUMMARY:one", "LOCATION:two").replaceAll("\r\n", lineEnd));

    expect(markdown).toBe("# one\n\n- **Place:** two\n");
    expect(warnings).toEqual([]);
  });

  test("that are no properties are counted, and go on with a text before them", async () => {
    const { markdown, warnings } = await read(
      event("DTSTART:20250101", "= = =", "SUMMARY:s", "DESCRIPTION:one", "https://harbour.example/a", "", "Note: two"),
    );

    expect(markdown).toBe("# s\n\n- **When:** 2025-01-01\n\none\\\nhttps://harbour.example/a\n\nNote: two\n");
    expect(warnings).toEqual([
      "Lines that are no calendar properties were left out: 1, the first is 5.",
      "Lines that are not folded were taken as part of the text before them: 2, the first is 8.",
    ]);
  });
});

describe("vCalendar 1.0", () => {
  test("quoted-printable texts run over soft line breaks, in their own character set", async () => {
    const { markdown } = await read(
      event(
        "SUMMARY;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=CF=EE=F0=",
        "=F2",
        "DESCRIPTION;QUOTED-PRINTABLE:one=0D=0A=0D=0Atwo=",
      ),
    );

    expect(markdown).toBe("# Порт\n\none\n\ntwo\n");
  });

  test("a blank that marks a fold belongs to the text", async () => {
    const { markdown } = await read(event("SUMMARY:two", " words").replace("VERSION:2.0", "VERSION:1.0"));

    expect(markdown).toBe("# two words\n");
  });
});

describe("times", () => {
  const when = async (...lines: readonly string[]): Promise<string | undefined> =>
    /\*\*When:\*\* (.*)/.exec((await read(event("SUMMARY:s", ...lines))).markdown)?.[1];

  test.each([
    [["DTSTART:20250101T100000Z", "DTEND:20250101T113000Z"], "2025-01-01 10:00 – 11:30 UTC"],
    [
      ["DTSTART;TZID=Asia/Tokyo:20250101T233000", "DTEND;TZID=Asia/Tokyo:20250102T003015"],
      "2025-01-01 23:30 – 2025-01-02 00:30:15 (Asia/Tokyo)",
    ],
    [["DTSTART;TZID=A:20250101T100000", "DTEND;TZID=B:20250101T100000"], "2025-01-01 10:00 (A) – 2025-01-01 10:00 (B)"],
    [["DTSTART:20250101T100000"], "2025-01-01 10:00"],
    [["DTSTART;VALUE=DATE:20241231", "DTEND;VALUE=DATE:20250101"], "2024-12-31"],
    [["DTSTART;VALUE=DATE:20240228", "DTEND;VALUE=DATE:20240302"], "2024-02-28 – 2024-03-01"],
    [["DTSTART:20250101", "DURATION:P1W2D"], "2025-01-01, 1 week 2 days"],
    [["DTSTART:20251301T990000", "DTEND:soon"], "20251301T990000 – soon"],
  ])("%j is %s", async (lines, expected) => {
    expect(await when(...lines)).toBe(expected);
  });
});

describe("recurrence", () => {
  test.each([
    ["FREQ=DAILY", "every day"],
    [
      "FREQ=WEEKLY;WKST=MO;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=10",
      "every 2 weeks on Monday, Wednesday and Friday, 10 times (weeks begin on Monday)",
    ],
    ["FREQ=MONTHLY;BYDAY=-1SU,+2TU", "every month on the last Sunday and the 2nd Tuesday"],
    [
      "FREQ=YEARLY;BYMONTH=1,11;BYMONTHDAY=1,-2",
      "every year in January and November on day 1 and the 2nd last day of the month",
    ],
    [
      "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1;UNTIL=20251231",
      "every month on Monday and Tuesday, only the last of these until 2025-12-31",
    ],
    ["FREQ=WEEKLY;WKST=SU", "every week"],
    ["RSCALE=HEBREW;FREQ=YEARLY", "RSCALE=HEBREW;FREQ=YEARLY"],
    ["MP1 1+ TU #4", "MP1 1+ TU #4"],
  ])("%s: %s", async (rule, words) => {
    expect((await read(event("SUMMARY:s", `RRULE:${rule}`))).markdown).toBe(`# s\n\n- **Repeats:** ${words}\n`);
  });
});

describe("descriptions", () => {
  test("HTML stands for plain text where it has structure", async () => {
    const { markdown } = await read(
      event("SUMMARY:s", "DESCRIPTION:a b", "X-ALT-DESC;FMTTYPE=text/html:<h1>H</h1><ul><li>a</li><li>b</li></ul>"),
    );

    expect(markdown).toBe("# s\n\n## H\n\n- a\n- b\n");
  });

  test("HTML without any is not needed", async () => {
    const { markdown } = await read(
      event("SUMMARY:s", "DESCRIPTION:plain", "X-ALT-DESC;FMTTYPE=text/html:<p>styled</p>"),
    );

    expect(markdown).toBe("# s\n\nplain\n");
  });

  test("a list after the line that announces it is a list", async () => {
    expect((await read(event("SUMMARY:s", String.raw`DESCRIPTION:Bring:\n- a\n- b`))).markdown).toBe(
      "# s\n\nBring:\n\n- a\n- b\n",
    );
  });
});

describe("calendars", () => {
  test("alarms and time zones are left out, unknown parts with a warning", async () => {
    const { markdown, warnings } = await read(
      event(
        "SUMMARY:s",
        "BEGIN:VALARM",
        "DESCRIPTION:hidden",
        "END:VALARM",
        "BEGIN:VLOCATION",
        "NAME:Quay",
        "END:VLOCATION",
      ),
    );

    expect(markdown).toBe("# s\n");
    expect(warnings).toEqual(["Unknown parts of the calendar were left out: VLOCATION."]);
  });

  test("several in one file, even without a line end between them, follow one another below their names", async () => {
    const one = calendar("X-WR-CALNAME:A", "BEGIN:VEVENT", "SUMMARY:a", "END:VEVENT");
    const { markdown, metadata } = await read(one.trimEnd() + one + one.replaceAll(":A", ":B").replaceAll(":a", ":b"));

    expect(markdown).toBe("# A\n\n## a\n\n## a\n\n# B\n\n## b\n");
    expect(metadata).toEqual({ title: "A" });
  });

  test("entries that do not end are read as far as they go", async () => {
    const { markdown, warnings } = await read(calendar("BEGIN:VEVENT", "SUMMARY:a", "BEGIN:VTODO", "SUMMARY:b"));

    expect(markdown).toBe("# a\n\n# b\n\n- **Kind:** To-do\n");
    expect(warnings).toEqual(["Parts of the calendar that do not end were read as far as they go: 2."]);
  });

  test("a file of one entry is about it", async () => {
    const { metadata } = await read(
      event("SUMMARY:s", String.raw`CATEGORIES:a,b\, c`, "CREATED:20250101T000000Z", "LAST-MODIFIED:20250102T000000Z"),
    );

    expect(metadata).toEqual({
      title: "s",
      keywords: ["a", "b, c"],
      createdAt: "2025-01-01T00:00:00Z",
      modifiedAt: "2025-01-02T00:00:00Z",
    });
  });

  test("without any the text is kept, with a warning", async () => {
    expect(await read("Nothing but words.\n")).toMatchObject({
      markdown: "Nothing but words.\n",
      warnings: ["The file has no calendar; its text is kept as it stands."],
    });
  });
});

test.each([
  ["its beginning", "x.bin", "\u{feff}\r\nbegin:vcalendar\r\n"],
  ["its name", "holidays.ifb", "X:1\r\n"],
])("it is known by %s", (_, fileName, content) => {
  const detection = detectFormat(createProbe(Buffer.from(content)), { fileName }, Object.values(formatModules));

  expect(detection?.format.name).toBe("ics");
});
