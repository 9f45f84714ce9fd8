import { describe, expect, test } from "vitest";
import { readCffNames } from "./cff-names.ts";
import { readNamedSigns, signOfShape } from "./named-signs.ts";

/** A CFF program as far as names go (Adobe Technical Note #5176): glyphs by code, in the order of the program. */
function makeProgram(name: string, glyphs: readonly (readonly [number, string])[]): Buffer {
  const index = (items: readonly string[]): Buffer => {
    if (items.length === 0) return Buffer.from([0, 0]);
    let end = 1;
    const offsets = [end, ...items.map((item) => (end += item.length))];
    return Buffer.concat([Buffer.from([0, items.length, 1, ...offsets]), Buffer.from(items.join(""), "latin1")]);
  };
  const number = (value: number) => String.fromCharCode(28, value >> 8, value & 255);
  const dictionary = (charset: number) => {
    const encoding = charset + 1 + glyphs.length * 2;
    const charStrings = encoding + 2 + glyphs.length;
    return `${number(charset)}\u000F${number(encoding)}\u0010${number(charStrings)}\u0011`;
  };
  const head = [Buffer.from([1, 0, 4, 1]), index([name])];
  const tail = [index(glyphs.map(([, glyph]) => glyph)), index([])];
  const start = Buffer.concat([...head, index([dictionary(0)]), ...tail]).length;
  const identifiers = glyphs.flatMap((_, at) => [(391 + at) >> 8, (391 + at) & 255]);
  return Buffer.concat([
    ...head,
    index([dictionary(start)]),
    ...tail,
    Buffer.from([0, ...identifiers]),
    Buffer.from([0, glyphs.length, ...glyphs.map(([code]) => code)]),
    index([".notdef", ...glyphs.map(() => "x")]),
  ]);
}

describe("names of the glyphs of CFF programs", () => {
  const program = makeProgram("Sample", [
    [2, "C211"],
    [65, "T_h"],
  ]);

  test("are read by the codes of the program", () => {
    expect([...readCffNames(program)]).toEqual([
      [2, "C211"],
      [65, "T_h"],
    ]);
  });

  test("say nothing where the program is cut short or is none", () => {
    for (let end = 0; end < program.length - 3; end++) {
      expect(readCffNames(program.subarray(0, end)).size).toBeLessThanOrEqual(2);
    }
    expect(readCffNames(Buffer.from("%!PS-AdobeFont-1.0")).size).toBe(0);
  });
});

describe("signs of fonts that name glyphs by codes", () => {
  test("are told by the codes of the program where it numbers them anew", () => {
    const { byCode } = readNamedSigns(
      makeProgram("AdvPSSym", [
        [2, "C211"],
        [3, "C176"],
      ]),
    );
    expect([...byCode]).toEqual([
      [2, "©"],
      [3, "°"],
    ]);
  });

  test("are not told by codes that the file numbers, but by their shapes", () => {
    const { byCode, symbols } = readNamedSigns(
      makeProgram("AdvP4C4E74", [
        [2, "C2"],
        [14, "C14"],
        [255, "C0"],
      ]),
    );
    expect(byCode.size).toBe(0);
    expect(signOfShape(symbols, { width: 0.682, height: 0.042, middle: 0.25 })).toBe("−");
    expect(signOfShape(symbols, { width: 0.52, height: 0.45, middle: 0.236 })).toBe("×");
    expect(signOfShape(symbols, { width: 0.388, height: 0.388, middle: 0.223 })).toBe("°");
  });

  test("stay unknown where two of the font look alike, or none does", () => {
    expect(signOfShape([20, 21], { width: 0.607, height: 0.773, middle: 0.249 })).toBeUndefined();
    expect(signOfShape([21], { width: 0.607, height: 0.773, middle: 0.249 })).toBe("≥");
    expect(signOfShape([0, 2], { width: 1.2, height: 0.9, middle: 0.2 })).toBeUndefined();
  });

  test("are none in other fonts", () => {
    expect(readNamedSigns(makeProgram("Sample", [[2, "C176"]]))).toEqual({ byCode: new Map(), symbols: [] });
  });
});
