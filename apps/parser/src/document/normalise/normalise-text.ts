/*
 * What text of a document never keeps. Fast paths come first: nearly all text passes one test and is returned as it is.
 */

/** Format and control characters that show nothing: soft hyphens, zero-width spaces, directional marks, byte order marks. */
const junk =
  /[\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffc\ufffe\uffff]|(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0000}-\u{e007f}]+|(?![\t\n\v\f\r\u0085])\p{Cc}/gu;

// Joiners shape Arabic, Indic and related scripts and tie emoji together; anywhere else they are debris.
const strayJoiners =
  /(?<![\p{M}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}])[\u200c\u200d]+|(?<=[\u200c\u200d])[\u200c\u200d]+/gu;

/**
 * Glyphs that are other letters joined or restyled for print: Latin, Armenian and Hebrew ligatures, Arabic presentation
 * forms, Kangxi radicals standing for ideographs. Fonts of PDF files map to them; NFKC gives the letters meant.
 */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb20-\ufb28\ufb4f\ufb50-\ufdfb\ufe70-\ufefc\u2f00-\u2fd5]+/g;

const latin1 = /^[\t\n -~\u00a1-\u00ac\u00ae-\u00ff]*$/;
// Says no by one sign of unevenness: a pattern of the whole line would run out of stack on a long one.
const unevenLine = /^ | {2}| $|[^ -~\u00a1-\u00ac\u00ae-\u00ff]/;

// Putting marks on one letter in order takes time quadratic in their number, so that a grapheme joiner parts them after 30,
// more than any language has (UAX #15, 13: Stream-Safe Text Format).
const manyMarks = /((?!\u034f)\p{M}(?:(?!\u034f)\p{M}){29})(?=(?!\u034f)\p{M})/gu;

// White space that is more, or other, than one space or one ideographic space.
const unevenSpace = /[^\S \u3000]|\u0085|[ \u3000]{2}/;

/** Text in NFC without what shows nothing, white space as it is. */
export function cleanText(text: string): string {
  if (latin1.test(text)) return text;
  const clean = text
    .replace(junk, "")
    .replace(strayJoiners, "")
    .replace(presentationForms, (glyphs) => glyphs.normalize("NFKC"));
  return compose(clean);
}

/** Clean text with every run of white space made one space; ideographic spaces stay ideographic. Ends are not trimmed. */
export function collapseSpace(text: string): string {
  return unevenSpace.test(text) ? text.replaceAll(/[\s\u0085]+/g, spaceOf) : text;
}

/** The one space that a run of white space is worth. */
export function spaceOf(run: string): string {
  return /^\u3000+$/.test(run) ? "\u3000" : " ";
}

/** Text of one line: clean, white space collapsed, ends trimmed. Returns the very string where nothing has to change. */
export function normaliseLine(text: string): string {
  if (!unevenLine.test(text)) return text;
  return cleanUntilStable(text).trim();
}

function cleanUntilStable(text: string): string {
  return collapseSpace(cleanText(text));
}

/** Text of code: clean, line ends as `\n`, blank lines empty and none around; tabs, indents and inner spaces stay. */
export function normaliseCode(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n");
  return cleanVerbatim(lines)
    .replaceAll(/^[ \t]+$/gm, "")
    .replace(/^\n+/, "")
    .trimEnd();
}

/** Text of one line that is not prose: clean, line ends as spaces, nothing else collapsed. */
export function normaliseVerbatimLine(text: string): string {
  return cleanVerbatim(text.replaceAll(/[\r\n\u0085\u2028\u2029]+/g, " ").replaceAll("\t", " "));
}

function cleanVerbatim(text: string): string {
  if (/^[\t\n -~]*$/.test(text)) return text;
  const clean = text
    .replace(junk, "")
    .replace(strayJoiners, "")
    .replaceAll(/[^\S\n\t\u3000]/g, " ");
  return compose(clean);
}

function compose(text: string): string {
  return text.replace(manyMarks, "$1\u034f").normalize("NFC");
}
