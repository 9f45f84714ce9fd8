/**
 * The stem of a lower-case English word: Porter, "An algorithm for suffix stripping", 1980, with the changes of NLTK's
 * `PorterStemmer` in its default mode `NLTK_EXTENSIONS` (3.10), which rouge_score uses. Letters beyond a to z and digits count
 * as consonants. Time grows with the length of the word.
 */
export function stemWord(word: string): string {
  const irregular = irregularForms.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 2) return word;
  let stem = removePlural(word);
  stem = removePastTense(stem);
  stem = replaceFinalY(stem);
  stem = shortenDoubleSuffix(stem);
  stem = applyRules(stem, thirdRules);
  stem = applyRules(stem, fourthRules);
  stem = removeFinalE(stem);
  return stem.endsWith("ll") && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

const irregularForms: ReadonlyMap<string, string> = new Map([
  ["sky", "sky"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["innings", "inning"],
  ["inning", "inning"],
  ["outings", "outing"],
  ["outing", "outing"],
  ["cannings", "canning"],
  ["canning", "canning"],
  ["howe", "howe"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

/** A suffix, what stands for it, and the condition on the stem before it. Of the rules the first whose suffix fits decides. */
type Rule = readonly [suffix: string, replacement: string, holds: (stem: string) => boolean];

const always = (): boolean => true;
const hasMeasure = (stem: string): boolean => measure(stem) > 0;
const hasLongMeasure = (stem: string): boolean => measure(stem) > 1;

const pluralRules: readonly Rule[] = [
  ["sses", "ss", always],
  ["ies", "i", always],
  ["ss", "ss", always],
  ["s", "", always],
];

const secondRules: readonly Rule[] = [
  ["ational", "ate", hasMeasure],
  ["tional", "tion", hasMeasure],
  ["enci", "ence", hasMeasure],
  ["anci", "ance", hasMeasure],
  ["izer", "ize", hasMeasure],
  ["bli", "ble", hasMeasure],
  ["alli", "al", hasMeasure],
  ["entli", "ent", hasMeasure],
  ["eli", "e", hasMeasure],
  ["ousli", "ous", hasMeasure],
  ["ization", "ize", hasMeasure],
  ["ation", "ate", hasMeasure],
  ["ator", "ate", hasMeasure],
  ["alism", "al", hasMeasure],
  ["iveness", "ive", hasMeasure],
  ["fulness", "ful", hasMeasure],
  ["ousness", "ous", hasMeasure],
  ["aliti", "al", hasMeasure],
  ["iviti", "ive", hasMeasure],
  ["biliti", "ble", hasMeasure],
  ["fulli", "ful", hasMeasure],
  // The l belongs to the stem that is measured, so that "geologi" is long enough.
  ["logi", "log", (stem) => hasMeasure(`${stem}l`)],
];

const thirdRules: readonly Rule[] = [
  ["icate", "ic", hasMeasure],
  ["ative", "", hasMeasure],
  ["alize", "al", hasMeasure],
  ["iciti", "ic", hasMeasure],
  ["ical", "ic", hasMeasure],
  ["ful", "", hasMeasure],
  ["ness", "", hasMeasure],
];

const fourthRules: readonly Rule[] = [
  ...["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"].map((suffix): Rule => [
    suffix,
    "",
    hasLongMeasure,
  ]),
  ["ion", "", (stem) => hasLongMeasure(stem) && (stem.endsWith("s") || stem.endsWith("t"))],
  ...["ou", "ism", "ate", "iti", "ous", "ive", "ize"].map((suffix): Rule => [suffix, "", hasLongMeasure]),
];

function applyRules(word: string, rules: readonly Rule[]): string {
  for (const [suffix, replacement, holds] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, word.length - suffix.length);
    return holds(stem) ? stem + replacement : word;
  }
  return word;
}

/** Step 1a: "flies" → "fli", but "dies" → "die". */
const removePlural = (word: string): string =>
  word.length === 4 && word.endsWith("ies") ? word.slice(0, -1) : applyRules(word, pluralRules);

/** Step 1b. */
function removePastTense(word: string): string {
  if (word.endsWith("ied")) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith("eed")) return hasMeasure(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find((ending) => word.endsWith(ending) && hasVowel(word.slice(0, -ending.length)));
  return suffix === undefined ? word : mendStem(word.slice(0, -suffix.length));
}

/** "conflat" → "conflate", "hopp" → "hop", "fil" → "file". */
function mendStem(stem: string): string {
  if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) return `${stem}e`;
  const last = stem.charAt(stem.length - 1);
  if (stem.length >= 2 && last === stem.charAt(stem.length - 2) && isConsonant(stem, stem.length - 1)) {
    return "lsz".includes(last) ? stem : stem.slice(0, -1);
  }
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

/** Step 1c: "happy" → "happi", but "enjoy" stays. */
const replaceFinalY = (word: string): string =>
  word.endsWith("y") && word.length > 2 && isConsonant(word, word.length - 2) ? `${word.slice(0, -1)}i` : word;

/** Step 2; after "alli" → "al" the rules are tried once more. */
const shortenDoubleSuffix = (word: string): string =>
  word.endsWith("alli") && hasMeasure(word.slice(0, -4))
    ? applyRules(word.slice(0, -2), secondRules)
    : applyRules(word, secondRules);

/** Step 5a. */
function removeFinalE(word: string): string {
  if (!word.endsWith("e")) return word;
  const stem = word.slice(0, -1);
  const length = measure(stem);
  return length > 1 || (length === 1 && !endsShort(stem)) ? stem : word;
}

/** Porter's m: how many times consonants follow vowels. */
function measure(stem: string): number {
  let count = 0;
  let isAfterVowel = false;
  for (let at = 0; at < stem.length; at++) {
    const isVowel = isVowelAfter(stem, at, isAfterVowel);
    if (isAfterVowel && !isVowel) count++;
    isAfterVowel = isVowel;
  }
  return count;
}

function hasVowel(stem: string): boolean {
  let isVowel = false;
  for (let at = 0; at < stem.length && !isVowel; at++) isVowel = isVowelAfter(stem, at, isVowel);
  return isVowel;
}

/** Porter's *o: consonant, vowel, consonant other than w, x, y; NLTK adds a vowel and a consonant alone. */
function endsShort(stem: string): boolean {
  const end = stem.length - 1;
  if (stem.length === 2) return !isConsonant(stem, 0) && isConsonant(stem, 1);
  return (
    stem.length > 2 &&
    isConsonant(stem, end - 2) &&
    !isConsonant(stem, end - 1) &&
    isConsonant(stem, end) &&
    !"wxy".includes(stem.charAt(end))
  );
}

const isVowelAfter = (word: string, at: number, isAfterVowel: boolean): boolean => {
  const letter = word.charAt(at);
  // A y is a vowel behind a consonant; at the start of a word it is a consonant.
  return letter === "y" ? at > 0 && !isAfterVowel : "aeiou".includes(letter);
};

function isConsonant(word: string, at: number): boolean {
  let start = at;
  while (start > 0 && word.charAt(start) === "y") start--;
  let isVowel = isVowelAfter(word, start, false);
  for (let next = start + 1; next <= at; next++) isVowel = isVowelAfter(word, next, isVowel);
  return !isVowel;
}
