/** Characters by the code that PDFium takes for the character. */
export type SymbolAlphabet = ReadonlyMap<number, string>;

// All of them are single units of UTF-16.
const alphabet = (codes: string, characters: string): SymbolAlphabet =>
  new Map(Array.from({ length: codes.length }, (_, index) => [codes.charCodeAt(index), characters.charAt(index)]));

/** Operators of the fonts that 3B2 sets mathematics with: "p ¼ ð1 þ 2Þ" for "p = (1 + 2)". */
const operators = alphabet("¼þðÞ", "=+()");
/** Greek letters in the order of their own alphabet, as Latin ones. */
const greekByOrder = alphabet(
  "abcdefghijklmnopqrstuvwxABCDEFGHIJKLMNOPQRSTUVWX",
  "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
);
/** Signs of Linotype's Universal Greek with Math Pi. */
const universalPi = alphabet("5amO", "<αμΩ");
/** Signs of Linotype's Mathematical Pi 1. */
const mathematicalPi = alphabet(",\uE02C", "<<");

const alphabets: readonly { readonly name: RegExp; readonly alphabet: SymbolAlphabet }[] = [
  { name: /Adv(?:P4C4E\d\d|MT_SY|PSSym)$|^TeX_CM_Maths_Symbols$/, alphabet: operators },
  { name: /AdvPSMP\d\d?$/, alphabet: greekByOrder },
  { name: /AdvPi1$/, alphabet: universalPi },
  { name: /^MathematicalPi-One$/, alphabet: mathematicalPi },
];

/**
 * What a font of symbols draws for its codes, where it says nothing but that they are those of Latin letters: publishers'
 * fonts without a table of characters, which the name tells. Every entry was checked against pages as they look.
 */
export function findSymbolAlphabet(fontName: string): SymbolAlphabet | undefined {
  return alphabets.find(({ name }) => name.test(fontName))?.alphabet;
}
