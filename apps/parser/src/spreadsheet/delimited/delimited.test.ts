import { describe, expect, test } from "vitest";
import { Budget } from "../../limits/budget.ts";
import { defaultLimits } from "../../limits/default-limits.ts";
import { delimitedToDocument } from "./delimited-to-document.ts";
import { guessDelimiter } from "./guess-delimiter.ts";
import { sniffDelimited } from "./sniff-delimited.ts";
import { splitRecords } from "./split-records.ts";

function split(text: string, delimiter = ","): string[][] {
  const records: string[][] = [];
  splitRecords(text, delimiter, (fields) => records.push(fields) > 0);
  return records;
}

function read(content: string | Uint8Array, maxTableCells = defaultLimits.maxTableCells) {
  const warnings: string[] = [];
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const budget = new Budget({ ...defaultLimits, maxTableCells });
  const { blocks } = delimitedToDocument(
    { bytes },
    { options: {}, budget, warn: (sentence) => warnings.push(sentence) },
  );
  const [table] = blocks;
  return {
    rows: table?.type === "table" ? table.rows : [],
    headers: table?.type === "table" ? table.headerRowCount : 0,
    warnings,
  };
}

describe("records", () => {
  test.each([
    [
      "plain",
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["any line end", "a\r\nb\rc\nd", [["a"], ["b"], ["c"], ["d"]]],
    ["quoted delimiters, line ends and quotes", '"a,b","c\nd","e""f"\n', [["a,b", "c\nd", 'e"f']]],
    ["an empty quoted field", '"",b\n', [["", "b"]]],
    ["a quote inside a field", 'a"b,c\n', [['a"b', "c"]]],
    [
      "words after a closing quote",
      '"a"b,c\nd,"e"\n',
      [
        ['"a"b', "c"],
        ["d", "e"],
      ],
    ],
    ["quotes inside quotes", '"a "b" c",d\n', [['a "b" c', "d"]]],
    [
      "a quote that never closes",
      '"a,b\nc,d\n',
      [
        ['"a', "b"],
        ["c", "d"],
      ],
    ],
    ["blank lines", "a\n\n\nb\n", [["a"], ["b"]]],
    ["a last line without an end", 'a,"b"', [["a", "b"]]],
  ])("%s", (_, text, records) => {
    expect(split(text)).toEqual(records);
  });
});

describe("delimiters", () => {
  test.each([
    ["a,b,c\n1,2,3\n", ","],
    ["a;b;c\n1,5;2,5;3,5\n", ";"],
    ["a\tb\n1, 2\t3\n", "\t"],
    ["a|b|c\n1|2,3|4\n", "|"],
    ['"a;b",c\n"d;e;f",g\n', ","],
    ["only one column\nof words\n", ","],
  ])("%j is split by %j", (text, delimiter) => {
    expect(guessDelimiter(text)).toBe(delimiter);
  });

  test("tables are a weak sign, prose and markup none", () => {
    expect(sniffDelimited("a,b,c\n1,2,3\n4,5,6\n", [","])).toBe(0.2);
    expect(sniffDelimited("Dear Ann, how are you?\nI am well, thanks.\nYours, Bob\n", [","])).toBe(0);
    expect(sniffDelimited("<a>,b,c\n1,2,3\n4,5,6\n", [","])).toBe(0);
    expect(sniffDelimited(undefined, [","])).toBe(0);
  });
});

describe("what is odd is told", () => {
  test("rows of other lengths are padded", () => {
    const { rows, warnings } = read("a,b,c\n1\n1,2,3,4\n");

    expect(rows).toEqual([
      ["a", "b", "c", ""],
      ["1", "", "", ""],
      ["1", "2", "3", "4"],
    ]);
    expect(warnings).toHaveLength(2);
  });

  test("null characters are removed", () => {
    const { rows, warnings } = read("a,b\nc\0,d\n");

    expect(rows[1]).toEqual(["c", "d"]);
    expect(warnings).toEqual(["Null characters were removed."]);
  });

  test("a table of numbers alone has no header", () => {
    expect(read("1,2\n3,4\n5,6\n").headers).toBe(0);
    expect(read("a,b\n3,4\n5,6\n").headers).toBe(1);
  });
});

describe("hostile text is bounded", () => {
  test("a million columns beside many rows name the limit", () => {
    const text = `${"a,".repeat(1_000_000)}\n${"b\n".repeat(100)}`;

    expect(() => read(`${text}${"c,".repeat(999_999)}c\n`, 5_000_000)).toThrow(
      /LIMIT_EXCEEDED.*PARSER_MAX_TABLE_CELLS/,
    );
  });

  test("one line of twenty million characters is one cell", () => {
    expect(read("x".repeat(20_000_000)).rows).toHaveLength(1);
  });

  test("floods of quotes take linear time", () => {
    const startedAt = process.cpuUsage();
    split('"'.repeat(4_000_001));
    split(',"a"b'.repeat(800_000));
    split('"a\n'.repeat(1_000_000));
    const { user } = process.cpuUsage(startedAt);

    expect(user / 1e6).toBeLessThan(20);
  });

  test("an empty file has no blocks", () => {
    expect(read("").rows).toEqual([]);
    expect(read(",,,\n,,,\n").rows).toEqual([]);
  });
});
