import { describe, expect, test } from "vitest";
import { type OmmlElement, ommlToLatex } from "./omml-to-latex.ts";

/** An element by `name attribute=value` and its children. */
function e(head: string, ...children: (OmmlElement | string)[]): OmmlElement {
  const [name = "", ...pairs] = head.split(" ");
  const attributes = new Map(pairs.map((pair) => pair.split("=") as [string, string]));
  return { name, children, get: (attribute) => attributes.get(attribute) };
}

const r = (text: string): OmmlElement => e("m:r", e("m:t", text));
const upright = (text: string): OmmlElement => e("m:r", e("m:rPr", e("m:sty m:val=p")), e("m:t", text));
const latex = (...children: OmmlElement[]): string => ommlToLatex(e("m:oMath", ...children));
const slot = (name: string, ...children: OmmlElement[]): OmmlElement => e(`m:${name}`, ...children);

describe("structures", () => {
  test.each([
    ["a fraction", e("m:f", slot("num", r("a")), slot("den", r("b"))), "\\frac{a}{b}"],
    [
      "a fraction without a bar",
      e("m:f", e("m:fPr", e("m:type m:val=noBar")), slot("num", r("n")), slot("den", r("k"))),
      "\\genfrac{}{}{0pt}{}{n}{k}",
    ],
    ["a power", e("m:sSup", slot("e", r("x")), slot("sup", r("2"))), "x^{2}"],
    [
      "a power of a fraction, grouped",
      e("m:sSup", slot("e", e("m:f", slot("num", r("a")), slot("den", r("b")))), slot("sup", r("2"))),
      "{\\frac{a}{b}}^{2}",
    ],
    ["scripts before", e("m:sPre", slot("sub", r("1")), slot("sup", r("2")), slot("e", r("A"))), "{}_{1}^{2}A"],
    ["a square root", e("m:rad", e("m:radPr", e("m:degHide")), slot("deg"), slot("e", r("x"))), "\\sqrt{x}"],
    ["a cube root", e("m:rad", slot("deg", r("3")), slot("e", r("x"))), "\\sqrt[3]{x}"],
    [
      "a sum",
      e("m:nary", e("m:naryPr", e("m:chr m:val=∑")), slot("sub", r("i=1")), slot("sup", r("n")), slot("e", r("i"))),
      "\\sum_{i=1}^{n}i",
    ],
    ["an integral that names no sign", e("m:nary", slot("sub"), slot("sup"), slot("e", r("x"))), "\\int x"],
    [
      "delimiters of their own",
      e("m:d", e("m:dPr", e("m:begChr m:val=⌈"), e("m:endChr m:val=⌉")), slot("e", r("x"))),
      "\\left\\lceil x\\right\\rceil",
    ],
    [
      "a matrix in brackets",
      e(
        "m:d",
        e("m:dPr", e("m:begChr m:val=["), e("m:endChr m:val=]")),
        slot(
          "e",
          e("m:m", e("m:mr", slot("e", r("a")), slot("e", r("b"))), e("m:mr", slot("e", r("c")), slot("e", r("d")))),
        ),
      ),
      "\\begin{bmatrix}a & b \\\\ c & d\\end{bmatrix}",
    ],
    ["a function", e("m:func", slot("fName", upright("log")), slot("e", r("x"))), "\\log x"],
    ["a limit", e("m:limLow", slot("e", upright("lim")), slot("lim", r("n→∞"))), "\\lim_{n\\rightarrow\\infty}"],
    ["an accent", e("m:acc", e("m:accPr", e("m:chr m:val=\u20d7")), slot("e", r("v"))), "\\vec{v}"],
    ["a wide hat", e("m:acc", slot("e", r("ab"))), "\\widehat{ab}"],
    ["an overbar", e("m:bar", e("m:barPr", e("m:pos m:val=top")), slot("e", r("x"))), "\\overline{x}"],
    ["an underbrace", e("m:groupChr", slot("e", r("x"))), "\\underbrace{x}"],
  ])("%s", (_, element, expected) => {
    expect(latex(element)).toBe(expected);
  });

  test("lines of equations are aligned", () => {
    const array = e("m:eqArr", slot("e", r("a&=b")), slot("e", r("c&=d")));

    expect(latex(array)).toBe("\\begin{aligned}a&=b \\\\ c&=d\\end{aligned}");
  });
});

describe("text", () => {
  test.each([
    ["α≤β", "\\alpha\\leq\\beta"],
    ["πr", "\\pi r"],
    ["50% & #1", "50\\% \\& \\#1"],
    ["x–y^2", "x-y^2"],
    ["𝐀𝑏ℝ", "\\mathbf{A}b\\mathbb{R}"],
    ["{x}", "\\{x\\}"],
  ])("%s", (text, expected) => {
    expect(latex(r(text))).toBe(expected);
  });

  test("prose inside a formula keeps its spaces and is escaped", () => {
    expect(latex(e("m:r", e("m:rPr", e("m:nor")), e("m:t", "if x_1 > 0")))).toBe("\\text{if x\\_1 > 0}");
  });

  test("deleted parts go, unknown constructs give their content", () => {
    expect(latex(e("w:del", r("a")), e("m:future", r("b")))).toBe("b");
  });

  test("names of properties of objects are no constructs", () => {
    expect(latex(e("constructor", r("a")), e("__proto__", r("b")))).toBe("ab");
  });
});
