import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type CellSink, scanCells } from "./scan-cells.ts";
import { walkCells } from "./walk-cells.ts";

class Recorder implements CellSink {
  readonly events: unknown[] = [];

  startRow(index: number, isHidden: boolean): void {
    this.events.push([index, isHidden]);
  }

  cell({ column, type, style, raw, inline, hasFormula }: Parameters<CellSink["cell"]>[0]): void {
    this.events.push([column, type, style, raw, inline, hasFormula]);
  }

  sharedString(column: number, index: number): void {
    this.events.push([column, "s", index]);
  }
}

// The walk tells shared strings as any other cell, and cells without anything in them.
function unify(events: readonly unknown[]): unknown[] {
  const filled = events.filter((event) => {
    const parts = event as unknown[];
    return parts.length !== 6 || parts[3] !== undefined || parts[4] !== undefined || parts[5] === true;
  });
  return filled.map((event) => {
    const parts = event as unknown[];
    return parts.length === 6 &&
      parts[1] === "s" &&
      /^\d+$/.test(String(parts[3])) &&
      parts[5] === false &&
      parts[4] === undefined
      ? [parts[0], "s", Number(parts[3])]
      : parts;
  });
}

const value = fc.constantFrom(
  "",
  "<v>1</v>",
  "<v>2.5</v>",
  "<v></v>",
  "<f>A1</f>",
  "<f>A1</f><v>3</v>",
  '<f t="shared" si="0"/><v>4</v>',
  "<is><t>x</t></is>",
);
const attributes = fc.constantFrom(
  "",
  ' r="C1"',
  ' s="2"',
  ' t="s"',
  ' t="str"',
  ' r="AA1" s="1" t="b"',
  ' t="n" cm="1"',
);
const cell = fc
  .tuple(attributes, value, fc.boolean())
  .map(([attribute, content, isEmpty]) =>
    isEmpty && content === "" ? `<c${attribute}/>` : `<c${attribute}>${content}</c>`,
  );
const row = fc
  .tuple(fc.constantFrom("", ' r="7"', ' hidden="1"', ' spans="1:3" ht="12"'), fc.array(cell, { maxLength: 6 }))
  .map(([attribute, cells]) => `<row${attribute}>${cells.join("")}</row>`);

test("the fast scan reports what the walk reports, or gives up", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.constantFrom("", "\n ", "<!-- -->", "<x/>"), (rows, between) => {
      const data = rows.join(between);
      const xml = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${data}</sheetData></worksheet>`;
      const fast = new Recorder();
      const slow = new Recorder();
      const isRead = scanCells(xml, xml.indexOf("<sheetData>") + 11, fast);
      walkCells(xml, slow, 64);
      expect(isRead || between !== "").toBe(true);
      expect(isRead ? unify(fast.events) : []).toEqual(isRead ? unify(slow.events) : []);
    }),
  );
});
