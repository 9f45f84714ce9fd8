import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { joinPassages } from "./join-passages.ts";

const start = "a paragraph that begins at the foot of the first page of the document and goes on";
const texts = (passages: ReturnType<typeof passageOf>[]) =>
  joinPassages(passages).map((block) => (block.kind === "text" ? block.text : "table"));

describe("paragraphs over columns and pages", () => {
  test("a paragraph goes on in lower case on the next page", () => {
    expect(texts([passageOf(start), passageOf("to the next one.", { page: 2 })])).toEqual([
      `${start} to the next one.`,
    ]);
  });

  test("a word broken between pages is joined", () => {
    expect(texts([passageOf(`${start} prob-`), passageOf("ably.", { page: 2 })])).toEqual([`${start} probably.`]);
  });

  test("a compound that the document writes with a hyphen keeps it between pages", () => {
    const other = passageOf("This is a well-known thing.");
    expect(texts([passageOf(`${start} to the well-`), passageOf("known end.", { page: 2 }), other])[0]).toBe(
      `${start} to the well-known end.`,
    );
  });

  test.each([
    ["这一段文字在第一页的末尾没有结束", "而是在第二页继续下去。", ""],
    ["この段落は最初のページの終わりまで続き、", "次のページで終わる。", ""],
    ["هذه الفقرة تبدأ في الصفحة الأولى", "وتستمر في الصفحة الثانية.", " "],
    ["הפסקה הזאת מתחילה בעמוד הראשון", "ונמשכת בעמוד השני.", " "],
  ])("a sentence of a script without capitals goes on: %s", (first, rest, joint) => {
    const passages = [passageOf(first, { lineCount: 3 }), passageOf(rest, { page: 2, lineCount: 2 })];
    expect(texts(passages)).toEqual([first + joint + rest]);
    expect(texts([passageOf(`${first}。`, { lineCount: 3 }), passages[1] as (typeof passages)[0]])).toHaveLength(2);
  });

  test("captions and notes between the parts are passed over", () => {
    const caption = passageOf("Figure 1. What is seen here.", { page: 2, look: { size: 8 } });
    expect(texts([passageOf(start), caption, passageOf("to the end.", { page: 2 })])).toEqual([
      `${start} to the end.`,
      caption.text,
    ]);
  });

  test("a finished sentence is not joined", () => {
    expect(texts([passageOf(`${start}.`), passageOf("then more.", { page: 2 })])).toHaveLength(2);
  });

  test("text of another size is not the rest", () => {
    expect(texts([passageOf(start), passageOf("to a note", { page: 2, look: { size: 7 } })])).toHaveLength(2);
  });
});
