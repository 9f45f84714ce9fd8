import { describe, expect, test } from "vitest";
import { findTitle } from "./document-title.ts";
import { passageOf } from "./geometry.fixture.ts";

const heading = (text: string, size: number, page = 1) => passageOf(text, { page, look: { size } });
const titleOf = (headings: ReturnType<typeof heading>[]) => findTitle(headings, headings)?.text;

describe("the title of a document", () => {
  test("is the largest heading of the first page", () => {
    expect(titleOf([heading("A study of many things", 18), heading("What was done in it", 12)])).toBe(
      "A study of many things",
    );
  });

  test("is not the somewhat larger name of the journal above it", () => {
    const title = "A study of many things that were found in the field";
    expect(titleOf([heading("Journal of Found Things", 16), heading(title, 15)])).toBe(title);
  });

  test("may be in a script without spaces", () => {
    expect(titleOf([heading("保険約款上の災害保険金支払い問題", 18)])).toBe("保険約款上の災害保険金支払い問題");
  });

  test("is none where later pages have headings as large, or where it is numbered", () => {
    expect(titleOf([heading("A study of many things", 18), heading("Another chapter", 18, 2)])).toBeUndefined();
    expect(titleOf([heading("1 The first of the chapters", 18)])).toBeUndefined();
  });
});
