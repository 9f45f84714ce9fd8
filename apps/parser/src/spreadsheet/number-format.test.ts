import { describe, expect, test } from "vitest";
import { compileNumberFormat } from "./number-format.ts";

const show = (code: string, value: number, is1904 = false): string => compileNumberFormat(code, { is1904 })(value);

describe("numbers look as the sheet shows them", () => {
  test.each([
    ["General", 0.1 + 0.2, "0.3"],
    ["0.00", 1.005, "1.01"],
    ["0.00", 0.125, "0.13"],
    ["#,##0", 1_234_567.5, "1,234,568"],
    ["#,##0.00", 999.999, "1,000.00"],
    ["0.###", 1.5, "1.5"],
    ["0.###", 1, "1"],
    ["#.##", 0.5, ".5"],
    ["00000", 123, "00123"],
    ["\\1\\.0#", 1, "1.01"],
    ["0#", 12, "12"],
    ["#,0##", 7, "007"],
    ["0%", 0.126, "13%"],
    ["0.00%", 0.000_35, "0.04%"],
    ["0,", 12_345, "12"],
    ['0.0,,"M"', 12_345_678, "12.3M"],
    ["$#,##0.00", -1234.5, "-$1,234.50"],
    ['_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', -1234.5, "(1,234.50)"],
    ['_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)', 0, "-"],
    ["[Red]0;[Blue](0)", -5, "(5)"],
    ['[>100]"big";[<=100]"small"', 50, "small"],
    ["#,##0.00 [$€-407]", 12.5, "12.50 €"],
    ["000-00-0000", 123_456_789, "123-45-6789"],
    ["(000) 000-0000", 5_551_234_567, "(555) 123-4567"],
    ["0.00E+00", 12_345, "1.23E+04"],
    ["##0.0E+0", 12_345, "12.3E+3"],
    ["# ?/?", 1.25, "1 1/4"],
    ["# ??/??", 7.123_45, "7 10/81"],
    ['# ?/8"\\"', 1.3, "1 2/8\\"],
    ['General" units"', 5, "5 units"],
    ["@", 5.5, "5.5"],
    [";;;", 5, ""],
    ["0", -0.2, "0"],
    ["0.00", 1e300, "1e+300"],
  ])("%s shows %d as %s", (code, value, text) => {
    expect(show(code, value)).toBe(text);
  });
});

describe("dates are ISO 8601, as precise as the format", () => {
  test.each([
    ["m/d/yy", 45_352, "2024-03-01"],
    ["dd.mm.yyyy", 45_352.9, "2024-03-01"],
    ["m/d/yy h:mm", 45_352.5, "2024-03-01T12:00"],
    ["yyyy-mm-dd hh:mm:ss.000", 45_352.123_456_789, "2024-03-01T02:57:46.667"],
    ["mmm-yy", 45_352, "2024-03"],
    ["yyyy", 45_352, "2024"],
    ["mmmm", 45_352, "March"],
    ["dddd", 45_352, "Friday"],
    ['yyyy"年"m"月"d"日"', 45_352, "2024-03-01"],
    ["h:mm AM/PM", 0.75, "18:00"],
    ["[h]:mm:ss", 1.5, "36:00:00"],
    ["[mm]:ss", 0.1, "144:00"],
    ["mm:ss.0", 0.5 / 1440, "00:30.0"],
    ["d-mmm", 59, "1900-02-28"],
    ["d-mmm", 60, "1900-02-29"],
    ["d-mmm", 61, "1900-03-01"],
    ["m/d/yy", 0, "0"],
    ["m/d/yy", -1, "-1"],
    ["m/d/yy", 2_958_466, "2958466"],
    ["m/d/yy h:mm", 45_352.999_999_99, "2024-03-02T00:00"],
  ])("%s shows %d as %s", (code, value, text) => {
    expect(show(code, value)).toBe(text);
  });

  test("days of the 1904 system begin four years later", () => {
    expect(show("m/d/yy", 0, true)).toBe("1904-01-01");
    expect(show("m/d/yy", 43_890, true)).toBe("2024-03-01");
  });
});

describe("hostile format codes", () => {
  test.each([
    ["an open quote", '0"abc'],
    ["an open bracket", "0[abc"],
    ["a thousand sections", "0;".repeat(1000)],
    ["a long run of digits", "0".repeat(100_000)],
    ["only a slash", "/"],
    ["only an exponent", "E+"],
    ["a percent flood", "%".repeat(2000)],
  ])("%s never throws", (_, code) => {
    const format = compileNumberFormat(code, { is1904: false });
    for (const value of [0, -1, 1e300, Number.MIN_VALUE, 12.5]) expect(typeof format(value)).toBe("string");
  });
});
