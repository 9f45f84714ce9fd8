const largestSpelled = 9_999;

/** A number as `w:numFmt` has it written (ECMA-376 part 1 §17.18.59); rare formats are given as decimals. */
export function formatNumber(number: number, format: string): string {
  if (number < 1 || number > largestSpelled) return format === "none" ? "" : String(number);
  return formatters.get(format)?.(number) ?? String(number);
}

const formatters: ReadonlyMap<string, (number: number) => string> = new Map([
  ["none", () => ""],
  ["bullet", () => ""],
  ["decimalZero", (number) => String(number).padStart(2, "0")],
  ["lowerRoman", (number) => toRoman(number).toLowerCase()],
  ["upperRoman", toRoman],
  ["lowerLetter", (number) => toLetters(number, "a")],
  ["upperLetter", (number) => toLetters(number, "A")],
  ["ordinal", toOrdinal],
  ["decimalEnclosedCircle", toCircled],
  ["decimalEnclosedCircleChinese", toCircled],
  ["chineseCounting", toChinese],
  ["chineseCountingThousand", toChinese],
  ["japaneseCounting", toChinese],
  ["taiwaneseCounting", toChinese],
  ["taiwaneseCountingThousand", toChinese],
  ["ideographTraditional", (number) => cycle(number, "甲乙丙丁戊己庚辛壬癸")],
  ["ideographZodiac", (number) => cycle(number, "子丑寅卯辰巳午未申酉戌亥")],
  [
    "aiueo",
    (number) =>
      cycle(number, "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"),
  ],
  ["ganada", (number) => cycle(number, "가나다라마바사아자차카타파하")],
  ["chosung", (number) => cycle(number, "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ")],
  ["russianLower", (number) => cycle(number, "абвгдежзиклмнопрстуфхцчшщыэюя")],
  ["russianUpper", (number) => cycle(number, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ")],
]);

function toRoman(number: number): string {
  const numerals: readonly (readonly [number, string])[] = [
    [1000, "M"],
    [900, "CM"],
    [500, "D"],
    [400, "CD"],
    [100, "C"],
    [90, "XC"],
    [50, "L"],
    [40, "XL"],
    [10, "X"],
    [9, "IX"],
    [5, "V"],
    [4, "IV"],
    [1, "I"],
  ];
  let rest = number;
  let roman = "";
  for (const [value, numeral] of numerals) {
    roman += numeral.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return roman;
}

// a … z, aa, bb …
function toLetters(number: number, first: "a" | "A"): string {
  const letter = String.fromCharCode(first.charCodeAt(0) + ((number - 1) % 26));
  return letter.repeat(Math.min(100, Math.floor((number - 1) / 26) + 1));
}

function toOrdinal(number: number): string {
  const tens = number % 100;
  const suffix = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${suffix}`;
}

function toCircled(number: number): string {
  return number <= 20 ? String.fromCodePoint(0x245f + number) : String(number);
}

function toChinese(number: number): string {
  const digits = "零一二三四五六七八九";
  const units = ["", "十", "百", "千"];
  const places = String(number);
  let text = "";
  for (const [index, digit] of places.split("").entries()) {
    if (digit !== "0") text += `${digits[Number(digit)]}${units[places.length - 1 - index]}`;
    else if (!text.endsWith("零")) text += "零";
  }
  return text.replace(/零+$/, "").replace(/^一十/, "十");
}

function cycle(number: number, letters: string): string {
  return letters[(number - 1) % letters.length] ?? String(number);
}
