import { expect, test } from "vitest";
import { GarbleMeter } from "./garbled-text.ts";

const isGarbled = (text: string) =>
  new GarbleMeter(Array.from(text.replace(/\s/g, ""), (letter) => ({ text: letter }))).isGarbled;
const english = "The quick brown fox jumps over the lazy dog and goes on to other things. ".repeat(8);

test.each([
  ["English", english, false],
  ["Chinese", "全世界无产者联合起来".repeat(10), false],
  ["a table of figures", "0.12 3.45 6.78 ".repeat(30), false],
  [
    "Vietnamese",
    "Việt Nam là một quốc gia nằm ở cực đông của bán đảo Đông Dương thuộc khu vực Đông Nam Á. ".repeat(6),
    false,
  ],
  [
    "Czech",
    "Příliš žluťoučký kůň úpěl ďábelské ódy a strč prst skrz krk, čtvrt hodiny před svítáním. ".repeat(6),
    false,
  ],
  [
    "a program",
    "for (let rowIndex = 0; rowIndex < maxRowCount; rowIndex++) { sumOfRows += rowValues[rowIndex]; } ".repeat(6),
    false,
  ],
  ["formulas", "f(x) = ∑ k=1 n (x − μ)² / σ² + ∫ g(t) dt, ∀ x ∈ ℝ, ‖v‖ ≤ 1 ⇒ ∂f/∂x = 0. ".repeat(10), false],
  ["a genome", "ACGTTGCAACGGTTAACCGATCGATTACGAT".repeat(20), false],
  ["Arabic", "تعتبر البرمجة من الأدوات القوية التي يمكن أن تعزز الإنتاجية وتساعد في إيجاد حلول. ".repeat(6), false],
  ["Arabic drawn out", "بنـــــاء الإنســــــان المصـــــــري ".repeat(20), false],
  [
    "Arabic with one letter for many",
    "محوددات الأمون ووو الصووحة واللعاوويل ياوووى قويوووة ومسووولدامة ".repeat(10),
    true,
  ],
  ["a few replacement characters", `${english}\uFFFD\uFFFD`, false],
  ["private-use glyphs", "\uE001\uE002\uE003".repeat(30), true],
  ["replacement characters", "text\uFFFD\uFFFD".repeat(30), true],
  [
    "letters shifted in the alphabet",
    "Wkh txlfn eurzq ira mxpsv ryhu wkh odcb grj dqg jrhv rq ".replace(/[aeiouy]/g, "x").repeat(8),
    true,
  ],
])("%s", (_, text, expected) => {
  expect(isGarbled(text)).toBe(expected);
});
