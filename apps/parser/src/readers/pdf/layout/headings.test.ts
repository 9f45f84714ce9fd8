import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { findHeadingLevels } from "./headings.ts";

const text = (page = 1) =>
  passageOf("A paragraph of running text that is long enough to be the body of it all. ".repeat(6).trim(), { page });
const heading = (title: string, look: Parameters<typeof passageOf>[1] = {}) => passageOf(title, look);
const levels = (passages: ReturnType<typeof text>[], outline: Parameters<typeof findHeadingLevels>[1] = []) =>
  [...findHeadingLevels(passages, outline)].map(([passage, level]) => `${level} ${passage.text}`);

describe("headings", () => {
  test("the title is level 1, and looks rank below it by size and weight", () => {
    const passages = [
      heading("A Study of Things", { look: { size: 18 } }),
      text(),
      heading("Methods", { look: { size: 12, isBold: true } }),
      text(),
      heading("Animals kept", { look: { size: 10, isBold: true } }),
      text(),
      heading("Results", { look: { size: 12, isBold: true } }),
      text(2),
    ];
    expect(levels(passages)).toEqual(["1 A Study of Things", "2 Methods", "3 Animals kept", "2 Results"]);
  });

  test("numbers say the depth", () => {
    const look = { look: { isBold: true } };
    const passages = [
      heading("1 Introduction", look),
      text(),
      heading("1.1 Scope", look),
      text(),
      heading("1.1.1 Limits", look),
      text(),
    ];
    expect(levels(passages)).toEqual(["1 1 Introduction", "2 1.1 Scope", "3 1.1.1 Limits"]);
  });

  test("the outline names headings that look like text", () => {
    const passages = [heading("Overview"), text(), heading("Details"), text()];
    const outline = [
      { title: "Overview", level: 1, page: 1 },
      { title: "Details", level: 2, page: 1 },
    ];
    expect(levels(passages, outline)).toEqual(["1 Overview", "2 Details"]);
  });

  test("tags of the file decide", () => {
    const passages = [
      heading("Title", { look: { size: 20 } }),
      heading("Tagged", { taggedLevel: 3 }),
      text(),
      heading("Bold", { look: { isBold: true } }),
      text(),
    ];
    expect(levels(passages)[1]).toBe("3 Tagged");
  });

  test.each([
    ["a caption", "Figure 1 What is seen"],
    ["a sentence", "This is a bold sentence."],
    ["an address", "someone@example.org"],
    ["the end of the document", undefined],
  ])("%s is no heading", (_, title) => {
    const bold = heading(title ?? "Last words", { look: { isBold: true } });
    expect(levels(title === undefined ? [text(), bold] : [text(), bold, text()])).toEqual([]);
  });

  test("cells in a row that look alike are no headings", () => {
    const cells = ["One thing", "Other thing", "Third thing"].map((cell) => heading(cell, { look: { isBold: true } }));
    expect(levels([text(), ...cells, text()])).toEqual([]);
  });
});
