import { describe, expect, test } from "vitest";
import { FurnitureFinder } from "./furniture.ts";
import { lineAt, linesAt, pageOf, textOf } from "./geometry.fixture.ts";

const page = (number: number, lines: ReturnType<typeof lineAt>[]) => pageOf(lines, { number });
const found = (pages: ReturnType<typeof page>[], finder = new FurnitureFinder()) => [...finder.find(pages)].map(textOf);

describe("furniture of pages", () => {
  test("a running head with a changing number is found on every page", () => {
    const pages = [1, 2, 3].map((number) =>
      page(number, [
        lineAt(`Journal of Things ${number}`, { baseline: 40 }),
        lineAt(`text ${number}`, { baseline: 400 }),
      ]),
    );
    expect(found(pages)).toEqual(["Journal of Things 1", "Journal of Things 2", "Journal of Things 3"]);
  });

  test("what repeats in the middle of pages is text", () => {
    const pages = [1, 2, 3].map((number) => page(number, [lineAt("Same words here", { baseline: 400 })]));
    expect(found(pages)).toEqual([]);
  });

  test("a repeated line that text goes on from is text", () => {
    const pages = [1, 2, 3].map((number) =>
      page(
        number,
        linesAt(["This clause is the same on every page", `and ends otherwise ${"so".repeat(number)}`], {
          baseline: 50,
        }),
      ),
    );
    expect(found(pages)).toEqual([]);
  });

  test("page numbers grow with the page, from any first number", () => {
    const pages = [1, 2, 3].map((number) =>
      page(number, [lineAt(`${number + 116}`, { left: 200 + number * 50, baseline: 780 })]),
    );
    expect(found(pages)).toEqual(["117", "118", "119"]);
  });

  test("a number that does not grow with the page is text", () => {
    const pages = [17, 4, 90].map((value, index) =>
      page(index + 1, [lineAt(`${value}`, { left: index * 90, baseline: 700 + index * 20 })]),
    );
    expect(found(pages)).toEqual([]);
  });

  test("a number that stands several times at the foot of one page is text", () => {
    const cells = [100, 200, 300].map((left) => lineAt("125", { left, baseline: 760 }));
    expect(found([page(1, cells), page(2, [lineAt("Text.", { baseline: 400 })])])).toEqual([]);
  });

  test("numbers of lines without text beside them are text", () => {
    const numbers = linesAt(
      Array.from({ length: 20 }, (_, index) => `${index + 1}`),
      { left: 10, baseline: 150 },
    );
    expect(found([page(1, numbers)])).toEqual([]);
  });

  test("the row of headings that a table repeats on each page is text", () => {
    const row = ["Name", "Place", "Mass", "Size", "Count"];
    const pages = [1, 2, 3].map((number) =>
      page(
        number,
        row.map((cell, column) => lineAt(cell, { left: 50 + column * 90, baseline: 60 })),
      ),
    );
    expect(found(pages)).toEqual([]);
  });

  test("numbers of lines in the margin are found", () => {
    const numbers = linesAt(
      Array.from({ length: 20 }, (_, index) => `${index + 1}`),
      { left: 10, baseline: 150 },
    );
    const text = linesAt(
      Array.from({ length: 20 }, () => "some words of the text"),
      { left: 60, baseline: 150 },
    );
    expect(found([page(1, [...numbers, ...text])])).toHaveLength(20);
  });

  test("a head known from earlier pages is found on a last page alone", () => {
    const finder = new FurnitureFinder();
    found(
      [1, 2, 3].map((number) => page(number, [lineAt("Running head", { baseline: 40 })])),
      finder,
    );
    expect(found([page(4, [lineAt("Running head", { baseline: 40 })])], finder)).toEqual(["Running head"]);
  });
});
