import { describe, expect, test } from "vitest";
import { passageOf } from "./geometry.fixture.ts";
import { toBlocks } from "./to-blocks.ts";

const shapes = (passages: ReturnType<typeof passageOf>[]) =>
  toBlocks(passages, []).map((block) => {
    if (block.type === "list") return `list ${block.ordered ? (block.start ?? 1) : "-"}: ${block.items.length}`;
    if (block.type === "code") return `code: ${block.text}`;
    return block.type === "pageBreak" ? `page ${block.number}` : block.type;
  });

describe("blocks of a document", () => {
  test("a page break stands before the first block of each page", () => {
    expect(shapes([passageOf("One."), passageOf("Two."), passageOf("Three.", { page: 3 })])).toEqual([
      "page 1",
      "paragraph",
      "paragraph",
      "page 3",
      "paragraph",
    ]);
  });

  test("passages with the same bullet make a list, without the bullets", () => {
    const items = ["• one", "• two"].map((text) => passageOf(text, { mark: "•" }));
    expect(toBlocks(items, [])[1]).toMatchObject({
      type: "list",
      ordered: false,
      items: [{ blocks: [{ inlines: ["one"] }] }, { blocks: [{ inlines: ["two"] }] }],
    });
  });

  test("numbers that follow one another make an ordered list from the first one", () => {
    expect(shapes([passageOf("3. c", { mark: "3." }), passageOf("4. d", { mark: "4." })])).toEqual([
      "page 1",
      "list 3: 2",
    ]);
    expect(shapes([passageOf("3. c", { mark: "3." }), passageOf("9. d", { mark: "9." })])).toEqual([
      "page 1",
      "paragraph",
      "paragraph",
    ]);
  });

  test("passages in a monospaced font are one piece of code", () => {
    const code = ["if x:\n  y", "z"].map((text) => passageOf(text, { codeText: text, look: { isMonospaced: true } }));
    expect(shapes(code)).toEqual(["page 1", "code: if x:\n  y\nz"]);
  });

  test("every block says where it stands", () => {
    expect(toBlocks([passageOf("One.")], [])[1]?.source).toEqual({ page: 1, box: [50, 100, 300, 120] });
  });
});
