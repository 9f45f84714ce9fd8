import type { BodyLook } from "./body-look.ts";
import { findTitle } from "./document-title.ts";
import { isTold, type OutlineTitles } from "./heading-candidates.ts";
import type { Look, Passage } from "./passage.ts";
import { isReferencesTitle } from "./references-title.ts";

/** The document in which something may be a heading. */
export interface Evidence {
  readonly passages: readonly Passage[];
  readonly body: BodyLook;
  readonly titles: OutlineTitles;
  /** Passages that are running text. */
  readonly prose: ReadonlySet<Passage>;
  /** Passages that a table follows. */
  readonly beforeTables: ReadonlySet<Passage>;
}

/** Keeps of the candidates for headings those that the rest of the document bears out. */
export function weighCandidates(candidates: readonly Passage[], evidence: Evidence): readonly Passage[] {
  const led = [dropCommonLooks, dropSeries, dropUnled].reduce((kept, step) => step(kept, evidence), candidates);
  const title = findTitle(led, evidence.passages);
  const steps = [dropLooksWithoutText, dropFrontMatter, dropNewAfterReferences];
  const kept = new Set(steps.reduce((headings, step) => step(headings, evidence), led));
  return led.filter((passage) => kept.has(passage) || passage === title);
}

export function lookKey(look: Look): string {
  return `${Math.round(look.size * 2)} ${look.isBold} ${look.isItalic} ${look.isCapitals} ${look.fontName}`;
}

/** Share of the letters of the document from which a look is common. */
const commonShare = 0.25;

// A look in which a good part of the document is set, and more than what may be headings, marks none.
function dropCommonLooks(candidates: readonly Passage[], { passages, titles }: Evidence): readonly Passage[] {
  const letters = countByLook(passages);
  const inCandidates = countByLook(candidates);
  let all = 0;
  for (const count of letters.values()) all += count;
  return candidates.filter((passage) => {
    const key = lookKey(passage.look);
    const count = letters.get(key) ?? 0;
    const isCommon = count > all * commonShare && (inCandidates.get(key) ?? 0) < count * 0.9;
    return !isCommon || isTold(passage, titles);
  });
}

function countByLook(passages: readonly Passage[]): Map<string, number> {
  const letters = new Map<string, number>();
  for (const { look, text } of passages) letters.set(lookKey(look), (letters.get(lookKey(look)) ?? 0) + text.length);
  return letters;
}

/** So many passages of one look in a row, without text between, are entries or cells. */
const minSeries = 3;

function dropSeries(candidates: readonly Passage[], { passages, titles }: Evidence): readonly Passage[] {
  const chosen = new Set(candidates);
  const dropped = new Set<Passage>();
  let run: Passage[] = [];
  const close = () => {
    if (run.length >= minSeries) for (const passage of run) dropped.add(passage);
    run = [];
  };
  for (const passage of passages) {
    if (!chosen.has(passage) || (run[0] !== undefined && lookKey(run[0].look) !== lookKey(passage.look))) close();
    if (chosen.has(passage)) run.push(passage);
  }
  close();
  return candidates.filter((passage) => !dropped.has(passage) || isTold(passage, titles));
}

/** Letters of a passage that can be the text under a heading; figures have labels of fewer. */
const minTextLetters = 36;

/** Letters of a line in the look of running text that can be a paragraph. */
const minLineLetters = 8;

// A heading leads to text, to a table or to another heading; labels within figures stand among scraps.
function dropUnled(candidates: readonly Passage[], { passages, body, beforeTables }: Evidence): readonly Passage[] {
  const chosen = new Set(candidates);
  const firstPage = passages[0]?.page;
  return passages.filter((passage, index) => {
    if (!chosen.has(passage)) return false;
    const next = passages[index + 1];
    const isLed = beforeTables.has(passage) || (next !== undefined && (chosen.has(next) || isText(next, body)));
    return isLed || (next !== undefined && (passage.page === firstPage || passage.taggedLevel !== undefined));
  });
}

function isText({ text, mark, codeText, look }: Passage, body: BodyLook): boolean {
  if (text.length >= minTextLetters || mark !== undefined || codeText !== undefined) return true;
  return text.length >= minLineLetters && look.fontName === body.fontName && Math.abs(look.size - body.size) < 0.3;
}

/** Running text that makes a document one that is read, unlike slides and forms. */
const minProsePassages = 8;
/** Share of the headings of one look that lead to running text, or to a heading of another look. */
const minLedShare = 0.34;

// Heads of columns, labels and names have looks of their own, which never lead to running text.
function dropLooksWithoutText(
  candidates: readonly Passage[],
  { passages, prose, titles, beforeTables }: Evidence,
): readonly Passage[] {
  if (prose.size < minProsePassages) return [...candidates];
  const chosen = new Set(candidates);
  const counts = new Map<string, { led: number; all: number }>();
  for (const [index, passage] of passages.entries()) {
    if (!chosen.has(passage)) continue;
    const key = lookKey(passage.look);
    const count = counts.get(key) ?? { led: 0, all: 0 };
    const isLed = beforeTables.has(passage) || leadsToText(index, chosen, { passages, prose });
    counts.set(key, { led: count.led + (isLed ? 1 : 0), all: count.all + 1 });
  }
  return candidates.filter((passage) => {
    const { led, all } = counts.get(lookKey(passage.look)) ?? { led: 0, all: 1 };
    return led >= all * minLedShare || isTold(passage, titles);
  });
}

/** Headings of other looks that may stand between a heading and the text. */
const maxStacked = 3;

function leadsToText(
  index: number,
  chosen: ReadonlySet<Passage>,
  { passages, prose }: Pick<Evidence, "passages" | "prose">,
): boolean {
  const look = lookKey((passages[index] as Passage).look);
  for (const next of passages.slice(index + 1, index + 1 + maxStacked)) {
    if (!chosen.has(next)) return prose.has(next) || next.mark !== undefined;
    if (lookKey(next.look) === look) return false;
  }
  return false;
}

/** Lines of the first paragraph, before which the front matter stands. */
const minParagraphLines = 3;

// Between the title and the first paragraph stand authors, their places and facts about the paper, and at last the heading
// of that paragraph.
function dropFrontMatter(candidates: readonly Passage[], { passages, prose, titles }: Evidence): readonly Passage[] {
  if (prose.size < minProsePassages) return [...candidates];
  const first = passages.findIndex((passage) => passage.lineCount >= minParagraphLines && prose.has(passage));
  const front = passages.slice(0, Math.max(0, first)).filter(({ page }) => page === passages[0]?.page);
  if (first < 0 || passages[first]?.page !== passages[0]?.page) return [...candidates];
  const largest = Math.max(0, ...candidates.filter((passage) => front.includes(passage)).map(({ look }) => look.size));
  const dropped = new Set(front.slice(0, -1).filter(({ look }) => look.size < largest * 0.8));
  return candidates.filter((passage) => !dropped.has(passage) || isTold(passage, titles));
}

// Lists of references, and what is printed behind them, begin no new kinds of headings.
function dropNewAfterReferences(candidates: readonly Passage[], { passages, titles }: Evidence): readonly Passage[] {
  const references = passages.findLastIndex(({ text }) => isReferencesTitle(text));
  if (references < 0) return [...candidates];
  const behind = new Set(passages.slice(references + 1));
  const known = new Set(candidates.filter((passage) => !behind.has(passage)).map(({ look }) => lookKey(look)));
  return candidates.filter(
    (passage) => !behind.has(passage) || known.has(lookKey(passage.look)) || isTold(passage, titles),
  );
}
