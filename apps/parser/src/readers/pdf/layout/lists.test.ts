import { describe, expect, test } from "vitest";
import type { Block } from "../../../document/document.ts";
import { plainText } from "./compose-inlines.ts";
import { passageOf } from "./geometry.fixture.ts";
import { dropStart, findList } from "./lists.ts";
import type { Passage } from "./passage.ts";

let top = 0;

/** Passages below one another; items are written with their mark, and `left` is that of the mark or of the text. */
function item(text: string, left = 50, rest: Partial<Passage> = {}): Passage {
  top += 20;
  const mark = /^\S+/.exec(text)?.[0] as string;
  return passageOf(text, { left, top, bottom: top + 12, mark, textLeft: left + 20, ...rest });
}

function paragraph(text: string, left: number): Passage {
  top += 20;
  return passageOf(text, { left, top, bottom: top + 12 });
}

const read = (...passages: Passage[]) => {
  const run = findList(passages, ({ inlines }) => ({ type: "paragraph", inlines }));
  return run === undefined ? undefined : [shape(run.list), run.length];
};

function shape(block: Block): unknown {
  if (block.type === "paragraph") return plainText(block.inlines);
  if (block.type !== "list") return block.type;
  const items = block.items.map(({ blocks, isChecked }) => [
    ...(isChecked === undefined ? [] : [isChecked]),
    ...blocks.map(shape),
  ]);
  return { [block.ordered ? `${block.start ?? 1}` : "-"]: items };
}

describe("lists", () => {
  test("marks set in are lists inside the item above", () => {
    expect(
      read(item("• a"), item("– b", 70), item("– c", 70), item("1. d", 90), item("• e"), paragraph("End.", 50)),
    ).toEqual([{ "-": [["a", { "-": [["b"], ["c", { "1": [["d"]] }]] }], ["e"]] }, 5]);
  });

  test("a paragraph under the text of an item belongs to it when another item follows", () => {
    expect(read(item("• a"), paragraph("more", 70), item("• b"), paragraph("after", 70))).toEqual([
      { "-": [["a", "more"], ["b"]] },
      3,
    ]);
    expect(read(item("• a"), paragraph("at the margin", 50), item("• b"))?.[1]).toBe(1);
  });

  test("letters and Roman numerals stay with their text, in order", () => {
    expect(read(item("(a) one"), item("(b) two"), item("i. three", 75), item("ii. four", 75))).toEqual([
      { "-": [["(a) one"], ["(b) two", { "-": [["i. three"], ["ii. four"]] }]] },
      4,
    ]);
  });

  test("another bullet at the same place begins another list, a number out of turn none", () => {
    expect(read(item("• a"), item("▪ b"))?.[1]).toBe(1);
    expect(read(item("1. a"), item("4. b"))).toBeUndefined();
    expect(read(item("4. a"), item("5. b"))).toEqual([{ "4": [["a"], ["b"]] }, 2]);
  });

  test("a list goes on in the next column and on the next page, wherever those stand", () => {
    const column = item("• c", 330, { top: 40 });
    const page = item("– d", 372, { page: 2, top: 50 });
    expect(read(item("• a"), item("– b", 70), column, item("– x", 350), page, item("• e", 352, { page: 2 }))).toEqual([
      { "-": [["a", { "-": [["b"]] }], ["c", { "-": [["x"], ["d"]] }], ["e"]] },
      6,
    ]);
  });

  test("boxes are ticked or not", () => {
    expect(read(item("☐ to do"), item("☐ later"))).toEqual([
      {
        "-": [
          [false, "to do"],
          [false, "later"],
        ],
      },
      2,
    ]);
    expect(read(item("☑ done"))).toEqual([{ "-": [[true, "done"]] }, 1]);
  });

  test("code and captions end a list", () => {
    const code = passageOf("x", { left: 70, codeText: "x" });
    expect(read(item("• a"), code, item("• b"))?.[1]).toBe(1);
  });

  test("lists inside one another have a bound", () => {
    const items = Array.from({ length: 60 }, (_, depth) => item("• a", 50 + depth * 20));
    expect(read(...items)?.[1]).toBe(9);
  });
});

test("a mark is taken off whatever style it is in", () => {
  const strong = { type: "strong" as const, inlines: ["1. bold"] };
  expect(dropStart([strong, " rest"], 2)).toEqual([{ type: "strong", inlines: ["bold"] }, " rest"]);
  expect(dropStart([{ type: "strong", inlines: ["1."] }, " rest"], 2)).toEqual(["rest"]);
  expect(dropStart(["1", ". rest"], 2)).toEqual(["rest"]);
});
