import { expect, test } from "vitest";
import { mathmlToLatex } from "./mathml-to-latex.ts";
import { parseMathml } from "./parse-mathml.ts";

function latexOf(content: string): string {
  const math = parseMathml(`<m:math xmlns:m="http://www.w3.org/1998/Math/MathML">${content}</m:math>`, 100);
  return math === undefined ? "" : mathmlToLatex(math);
}

test.each([
  ["a fraction", "<mfrac><mi>a</mi><mi>b</mi></mfrac>", "\\frac{a}{b}"],
  ["a binomial without its line", '<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', "{n \\atop k}"],
  ["scripts", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_{1}^{2}"],
  ["a base of several tokens", "<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"],
  ["an empty base", "<msub><mrow/><mi>i</mi></msub>", "{}_{i}"],
  ["primes", "<msup><mi>f</mi><mo>′</mo></msup>", "f'"],
  ["roots", "<mroot><mi>x</mi><mn>3</mn></mroot><msqrt><mn>2</mn></msqrt>", "\\sqrt[3]{x}\\sqrt{2}"],
  [
    "a sum with limits",
    "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
    "\\sum_{i = 1}^{n}i",
  ],
  ["a limit", "<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "\\lim_{x \\rightarrow 0}"],
  [
    "accents",
    "<mover><mi>x</mi><mo>^</mo></mover><mover><mrow><mi>a</mi><mi>b</mi></mrow><mo>¯</mo></mover>",
    "\\hat{x}\\overline{ab}",
  ],
  ["a vector", "<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"],
  [
    "braces below",
    "<munder><munder><mi>a</mi><mo>⏟</mo></munder><mtext>real</mtext></munder>",
    "\\underbrace{a}_{\\text{real}}",
  ],
  ["signs and operators", "<mo>−</mo><mi>a</mi><mo>−</mo><mi>b</mi><mo>×</mo><mi>c</mi>", "-a - b \\times c"],
  ["functions", "<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "\\sin x"],
  ["names", "<mi>rank</mi><mi>α</mi><mi>x</mi>", "\\mathrm{rank}\\alpha x"],
  ["alphabets", '<mi mathvariant="double-struck">R</mi><mi>𝔤</mi><mi>ℝ</mi>', "\\mathbb{R}\\mathfrak{g}\\mathbb{R}"],
  ["text with special characters", "<mtext>50% of $a_b$</mtext>", "\\text{50\\% of \\$a\\_b\\$}"],
  [
    "a matrix in brackets",
    "<mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>]</mo>",
    "\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}",
  ],
  [
    "cases",
    "<mo>{</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr></mtable>",
    "\\begin{cases} a \\\\ b \\end{cases}",
  ],
  ["fences that grow", "<mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo>", "\\left( \\frac{a}{b} \\right)"],
  ["fences that do not", "<mo>(</mo><mi>a</mi><mo>)</mo>", "(a)"],
  ["mfenced", '<mfenced open="[" close=")"><mi>a</mi><mi>b</mi></mfenced>', "\\left[ a, b \\right)"],
  ["prescripts", "<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "{}_{6}^{14}C"],
  ["set braces", "<mo>{</mo><mi>x</mi><mo>∣</mo><mi>x</mi><mo>∈</mo><mi>A</mi><mo>}</mo>", "\\{x \\mid x \\in A\\}"],
  ["semantics", "<semantics><mi>a</mi><annotation>junk</annotation></semantics>", "a"],
])("%s", (_name, content, latex) => {
  expect(latexOf(content)).toBe(latex);
});

test("a row of 400,000 tokens is read", () => {
  expect(latexOf("<mi>x</mi><mo>+</mo>".repeat(200_000)).length).toBeGreaterThan(600_000);
}, 30_000);
