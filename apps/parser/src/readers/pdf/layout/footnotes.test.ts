import { describe, expect, test } from "vitest";
import type { Inline } from "../../../document/document.ts";
import { footnoteShape } from "./footnotes.fixture.ts";

const raised = (text: string): Inline => ({ type: "superscript", inlines: [text] });

describe("notes at the foot of a page", () => {
  test("a smaller passage with a raised number is tied to the same number in the text", () => {
    expect(footnoteShape([["Text.", raised("1"), " More."]], [[raised("1"), " The note."]])).toEqual([
      ["Text.", { type: "noteReference", id: "1" }, " More."],
      { "1": ["The note."] },
    ]);
  });

  test("a number in plain type begins a note as well", () => {
    expect(footnoteShape([["Text.", raised("2")]], [["2 The note."]])[1]).toEqual({ "2": ["The note."] });
  });

  test("powers and units are no references", () => {
    expect(
      footnoteShape([["an area of 5 km", raised("2"), " in the text.", raised("2")]], [[raised("2"), " Note."]]),
    ).toEqual([
      ["an area of 5 km", raised("2"), " in the text.", { type: "noteReference", id: "2" }],
      { "2": ["Note."] },
    ]);
  });

  test.each<[string, Inline[][], Inline[][]]>([
    [
      "that stands twice in the text",
      [
        ["One.", raised("1")],
        ["Two.", raised("1")],
      ],
      [[raised("1"), " Note."]],
    ],
    ["that stands nowhere in the text", [["One."]], [[raised("1"), " Note."]]],
    ["that only begins another passage", [[raised("1"), "Institute"]], [[raised("1"), " Note."]]],
  ])("a mark %s ties nothing, and the passage stays a paragraph", (_, texts, notes) => {
    expect(footnoteShape(texts, notes).at(-1)).toEqual(notes[0]);
  });

  test("one of several raised marks is taken out of them", () => {
    expect(footnoteShape([["Author", raised("1,*")]], [[raised("*"), " Corresponding."]])).toEqual([
      ["Author", raised("1"), raised(","), { type: "noteReference", id: "p1-1" }],
      { "p1-1": ["Corresponding."] },
    ]);
  });

  test("text of the usual size below it in the same column makes a passage no note", () => {
    const notes: Inline[][] = [[raised("1"), " Note."]];
    expect(footnoteShape([["Text.", raised("1")]], notes, { below: ["The text goes on below."] })[1]).toEqual(notes[0]);
  });

  test("numbers that begin anew on the next page stay apart", () => {
    const page: [Inline[][], Inline[][]] = [[["Text.", raised("1")]], [[raised("1"), " Note."]]];
    expect([footnoteShape(...page, { pageCount: 2 })].flat().filter((entry) => !Array.isArray(entry))).toEqual([
      { "1": ["Note."] },
      { "1-p2": ["Note."] },
    ]);
  });
});
