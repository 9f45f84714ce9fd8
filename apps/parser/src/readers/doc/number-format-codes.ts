/** `w:numFmt` names by number format code ([MS-OSHARED] 2.2.1.3). */
const names = (
  "decimal upperRoman lowerRoman upperLetter lowerLetter ordinal cardinalText ordinalText hex chicago " +
  "ideographDigital japaneseCounting aiueo iroha decimalFullWidth decimalHalfWidth japaneseLegal " +
  "japaneseDigitalTenThousand decimalEnclosedCircle decimalFullWidth2 aiueoFullWidth irohaFullWidth decimalZero bullet " +
  "ganada chosung decimalEnclosedFullstop decimalEnclosedParen decimalEnclosedCircleChinese ideographEnclosedCircle " +
  "ideographTraditional ideographZodiac ideographZodiacTraditional taiwaneseCounting ideographLegalTraditional " +
  "taiwaneseCountingThousand taiwaneseDigital chineseCounting chineseLegalSimplified chineseCountingThousand decimal " +
  "koreanDigital koreanCounting koreanLegal koreanDigital2 hebrew1 arabicAlpha hebrew2 arabicAbjad hindiVowels " +
  "hindiConsonants hindiNumbers hindiCounting thaiLetters thaiNumbers thaiCounting vietnameseCounting numberInDash " +
  "russianLower russianUpper"
).split(" ");

const noneCode = 0xff;

/** The name of a number format; codes that nobody knows are numbered in decimals. */
export function numberFormatOf(code: number): string {
  return code === noneCode ? "none" : (names[code] ?? "decimal");
}
