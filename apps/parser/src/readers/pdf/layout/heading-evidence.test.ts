import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { findHeadingLevels } from "./headings.ts";
import type { PlacedBlock, PlacedTable } from "./to-blocks.ts";

const text = (page = 1) =>
  passageOf("Here is a paragraph of running text that is long enough to be the body of it all. ".repeat(5).trim(), {
    page,
  });
const bold = (title: string, rest: Parameters<typeof passageOf>[1] = {}) =>
  passageOf(title, { ...rest, look: { isBold: true, ...rest.look } });
const sections = (count: number, page: number) =>
  Array.from({ length: count }, (_, index) => [bold(`Section ${page} and ${index}`, { page }), text(page)]).flat();
const table: PlacedTable = {
  kind: "table",
  page: 1,
  left: 0,
  top: 0,
  right: 1,
  bottom: 1,
  rows: [],
  headerRowCount: 1,
  letterCount: 9,
};
const found = (blocks: PlacedBlock[]) => [...findHeadingLevels(blocks, []).keys()].map((passage) => passage.text);

describe("evidence for headings", () => {
  test("looks that never lead to running text are those of labels", () => {
    const label = (words: string) => bold(words, { page: 2, look: { size: 8, fontName: "Sans" } });
    const scraps = [label("Dose given"), passageOf("Control 12.5 14.7 19.9 and 21.3 or 22", { page: 2 })];
    expect(found([...sections(4, 1), ...scraps, ...scraps, ...sections(4, 2)])).not.toContain("Dose given");
  });

  test("a heading may lead to a table", () => {
    const blocks = [...sections(2, 1), bold("Results in figures", { look: { size: 11 } }), table, text(1)];
    expect(found(blocks)).toContain("Results in figures");
  });

  test("authors and facts before the first paragraph are no headings, but the one of that paragraph is", () => {
    const title = bold("A study of many things", { look: { size: 18 } });
    const authors = bold("Ann Author and Ben Writer", { look: { size: 12 } });
    const places = passageOf("University of Somewhere, Main Street 1, Town");
    const blocks = [title, authors, places, bold("Summary"), text(), ...sections(5, 1), ...sections(4, 2)];
    expect(found(blocks).slice(0, 2)).toEqual(["A study of many things", "Summary"]);
  });

  test("no new looks begin after the references", () => {
    const entry = passageOf("Author A, Writer B. The things that were found. Journal of Things 2001.", { page: 2 });
    const blocks = [
      ...sections(5, 1),
      bold("References", { page: 2 }),
      entry,
      bold("Send your work to us", { page: 2, look: { size: 14 } }),
      text(2),
      bold("About the authors", { page: 2 }),
      text(2),
    ];
    expect(found(blocks).slice(-2)).toEqual(["References", "About the authors"]);
  });

  test("entries of references are no headings", () => {
    expect(found([text(), bold("[12] Author A. Things found"), text(), bold("Things 2004; 12"), text()])).toEqual([]);
  });
});
