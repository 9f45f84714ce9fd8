import { describe, expect, it } from "vitest";
import { scoreDocument } from "./score-document.ts";
import { editShare, indelSimilarity } from "./string-distance.ts";
import { tablesToHtml } from "./tables-to-html.ts";
import { type Tree, treeDistance } from "./tree-distance.ts";

describe("likeness of texts", () => {
  const random = createRandom(7);
  const texts = Array.from({ length: 40 }, (_, index) => randomText(index * 4));

  it("is twice the common subsequence by the lengths, across words of the bit vector", () => {
    for (const [one, other] of pairs()) {
      const common = countCommon(Array.from(one), Array.from(other));
      expect(indelSimilarity(one, other)).toBeCloseTo(
        (2 * common) / (Array.from(one).length + Array.from(other).length),
        12,
      );
    }
  });

  it("is Levenshtein's distance by the longer length", () => {
    for (const [one, other] of pairs()) {
      const [a, b] = [Array.from(one), Array.from(other)];
      expect(editShare(one, other) * Math.max(a.length, b.length)).toBeCloseTo(countEdits(a, b), 9);
    }
  });

  function pairs(): [string, string][] {
    return texts.slice(1).map((text, index) => [text, texts[(index * 7) % texts.length]!]);
  }

  function randomText(length: number): string {
    return Array.from({ length }, () => ["a", "b", "c", "𝒳"][Math.floor(random() * 4)]!).join("");
  }
});

describe("distance of trees", () => {
  interface Named extends Tree<Named> {
    readonly name: string;
    readonly children: readonly Named[];
  }
  const node = (name: string, ...children: Named[]): Named => ({ name, children });
  const rename = (one: Named, other: Named): number => (one.name === other.name ? 0 : 1);

  it("counts a node moved below another as one deleted and one inserted", () => {
    // The example of Zhang and Shasha (1989): f(d(a c(b)) e) and f(c(d(a b)) e).
    const one = node("f", node("d", node("a"), node("c", node("b"))), node("e"));
    const other = node("f", node("c", node("d", node("a"), node("b"))), node("e"));
    expect(treeDistance(one, other, rename)).toBe(2);
  });

  it("counts what is changed at its cost", () => {
    const [one, other] = [node("f", node("a")), node("f", node("b"), node("c"))];
    expect(treeDistance(one, other, (a, b) => rename(a, b) / 4)).toBe(1.25);
  });
});

describe("scores of a document", () => {
  it("are missing where the truth has no table and no heading", () => {
    expect(scoreDocument("words", "# words")).toEqual({ nid: 5 / 6, nidS: 5 / 6, overall: 5 / 6 });
  });

  it("take a pipe table and the same as HTML for one", () => {
    const html =
      "<table><thead><tr><td>A</td><td>B</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>";
    const { teds, tedsS } = scoreDocument(html, "| A | B |\n| - | - |\n| 1 | 2 |\n");
    expect([teds, tedsS]).toEqual([1, 1]);
  });

  it("see what stands in a cell, and a span, each in its own measure", () => {
    const table = (cell: string): string => `<table><tr>${cell}<td>b</td></tr></table>`;
    expect(scoreDocument(table("<td>a</td>"), table("<td>x</td>"))).toMatchObject({ teds: 0.75, tedsS: 1 });
    expect(scoreDocument(table("<td>a</td>"), table('<td colspan="2">a</td>'))).toMatchObject({ tedsS: 0.75 });
  });

  it("see headings on one level, and the text under each", () => {
    expect(scoreDocument("# A\ntext\n## B\ntext", "### A\ntext\n# B\ntext")).toMatchObject({ mhs: 1, mhsS: 1 });
    expect(scoreDocument("# A\nabcd", "# A\nabxy")).toMatchObject({ mhs: 1 - 0.5 / 3, mhsS: 1 });
    expect(scoreDocument("# A", "A")).toMatchObject({ mhs: 0, mhsS: 0 });
  });
});

describe("pipe tables as HTML", () => {
  it("escape their words, fill short rows and spread three cells over a wider row", () => {
    const markdown = "| a | b | c | d |\n|---|---|---|---|\n| <1> |\n| x | y | z |\nend";
    expect(tablesToHtml(markdown)).toBe(
      "<table><tr><th>a</th><th>b</th><th>c</th><th>d</th></tr><tr><td>&lt;1&gt;</td><td></td><td></td><td></td></tr>" +
        "<tr><td>x</td><td>y</td><td>y</td><td>z</td></tr></table>\nend",
    );
  });
});

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

// By the book, row by row.
function countCommon(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0);
  for (const one of a) {
    const above = row;
    row = [];
    for (const [j, other] of b.entries()) {
      row.push(one === other ? (above[j - 1] ?? 0) + 1 : Math.max(above[j]!, row[j - 1] ?? 0));
    }
  }
  return row.at(-1) ?? 0;
}

function countEdits(a: readonly string[], b: readonly string[]): number {
  let row = [0, ...b.keys().map((index) => index + 1)];
  for (const [i, one] of a.entries()) {
    const above = row;
    row = [i + 1];
    for (const [j, other] of b.entries()) {
      row.push(Math.min(above[j]! + (one === other ? 0 : 1), above[j + 1]! + 1, row[j]! + 1));
    }
  }
  return row.at(-1)!;
}
