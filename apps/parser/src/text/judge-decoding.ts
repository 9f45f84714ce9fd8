/** How text looks after decoding with a candidate encoding. */
export interface DecodingJudgement {
  /** Characters that no text has: U+FFFD, C1 controls, private use. */
  readonly badCount: number;
  /** Share of characters beyond ASCII that stand where writing does not put them, from 0 to 1. */
  readonly implausibility: number;
}

const bad = /[\u{fffd}\u0080-\u0084\u0086-\u009f\u{e000}-\u{f8ff}]/gu;
const beyondAscii = /[^\p{ASCII}]/gu;

/*
 * Signs of a wrong encoding, each within one word: letters of two scripts; a capital after a small letter; a symbol between
 * letters; three accented Latin letters in a row; Latin letters beside half-width katakana.
 */
const signs: readonly (readonly [RegExp, number])[] = [
  [/\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/gu, 1],
  [/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]\p{Script=Latin}/gu, 1],
  [/[\p{Script=Cyrillic}][\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]/gu, 1],
  [/\p{Ll}(?=[^\p{ASCII}])\p{Lu}/gu, 3],
  [/[a-z][\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}\p{Script=Hiragana}][a-z]/gu, 3],
  [/(?=[^\p{ASCII}])\p{Ll}[A-Z](?![a-z])/gu, 0.5],
  [
    /\p{L}(?=[^\p{ASCII}])[\p{Sm}\p{Sc}\p{So}\p{Sk}\p{Ps}\p{Pe}\u00a1\u00bf\u2021\u2020\u2030\u00b6\u00a7\u2022\u201a\u201e\u2026]\p{Ll}/gu,
    1.5,
  ],
  [
    /(?:^|[\s(])(?=[^\p{ASCII}])[\p{Sm}\p{Sc}\p{So}\p{Sk}\u00b2\u00b3\u00b9\u00ba\u00aa\u2020\u2021\u2026\u2014][a-z]/gu,
    1.5,
  ],
  [/[\u00c0-\u00ff]{3}/gu, 3],
  [/[\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be](?=\p{Ll})/gu, 1],
  [/(?=[^\p{ASCII}])\p{Script=Arabic}[\p{Pi}\p{Pf}\p{S}\u2013-\u2026]\p{L}/gu, 1],
  [/[\u0500-\u052f\u0490-\u04ff\u0402-\u040f\u0452-\u0453\u0459-\u045b\u045f]/gu, 0.3],
  [/[\u06a0-\u06ff\ufb50-\ufdff\ufe70-\ufefc]/gu, 0.3],
  [/[\u2500-\u259f]/gu, 0.7],
];

/** Judges a sample of decoded text; linear in its length. */
export function judgeDecoding(sample: string): DecodingJudgement {
  const foreign = count(sample, beyondAscii);
  if (foreign === 0) return { badCount: 0, implausibility: 0 };
  const penalty = signs.reduce((sum, [sign, weight]) => sum + weight * count(sample, sign), 0);
  return { badCount: count(sample, bad), implausibility: Math.min(1, penalty / foreign + strangeHan(sample)) };
}

// The characters most used in Chinese, simplified and traditional: some stand in every text of two or three lines.
const commonHan =
  /[的一是不了人我在有他这這中大来來上个個国國和也子时時道说說出到你地年得就那要下以生会會自着著去之过過家学學对對可里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事只作当當想看文无無开開手用主行方又如前所本见見经經头頭面公同三已老从從动動两兩长長为為与與及其但或新信息产產品号號月]/gu;
const hanPattern = /\p{Script=Han}/gu;
const kanaPattern = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const minHan = 20;

// Korean or Thai bytes taken for Chinese give characters that nobody writes.
function strangeHan(sample: string): number {
  const han = count(sample, hanPattern);
  if (han < minHan || kanaPattern.test(sample)) return 0;
  return count(sample, commonHan) < han * 0.03 ? 0.5 : 0;
}

/** Characters that cannot be in decoded text; zero says nothing for or against the encoding. */
export function countBadCharacters(text: string): number {
  return count(text, bad);
}

function count(text: string, pattern: RegExp): number {
  let found = 0;
  pattern.lastIndex = 0;
  while (pattern.exec(text) !== null) found++;
  return found;
}
