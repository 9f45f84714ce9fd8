import type { OutlineEntry } from "../page-content.ts";
import type { Look, Passage } from "./passage.ts";

/** How the running text of the document looks. */
export interface BodyLook {
  readonly size: number;
  readonly fontName: string;
}

const maxLetters = 220;
const maxLines = 4;

/** The commonest size and font of the document, by letters. */
export function findBodyLook(passages: readonly Passage[]): BodyLook {
  const counts = new Map<string, { look: Look; count: number }>();
  for (const { look, text } of passages) {
    const key = `${look.fontName} ${Math.round(look.size * 2)}`;
    const entry = counts.get(key);
    if (entry === undefined) counts.set(key, { look, count: text.length });
    else entry.count += text.length;
  }
  const most = [...counts.values()].sort((a, b) => b.count - a.count)[0];
  return { size: most?.look.size ?? 10, fontName: most?.look.fontName ?? "" };
}

/**
 * Levels of the passages that are headings, from 1, on one scale for the whole document: what the outline and the tags
 * say, then numbering, then looks, the larger and heavier the higher.
 */
export function findHeadingLevels(
  passages: readonly Passage[],
  outline: readonly OutlineEntry[],
): Map<Passage, number> {
  const body = findBodyLook(passages);
  const titles = new Map(outline.map((entry) => [titleKey(entry.title), entry.level]));
  const candidates = passages.filter((passage, index) =>
    isHeading(passage, { body, titles, next: passages[index + 1] }),
  );
  const rare = dropCommonLooks(candidates, passages, titles);
  const led = dropUnled(dropSeries(rare, passages, titles), passages);
  const title = findTitle(led, passages);
  return assignLevels(dropBanner(led, title), title, titles);
}

interface Surroundings {
  readonly body: BodyLook;
  readonly titles: ReadonlyMap<string, number>;
  readonly next: Passage | undefined;
}

function isHeading(passage: Passage, { body, titles, next }: Surroundings): boolean {
  const { text, look, lineCount, taggedLevel, isRunIn } = passage;
  if (isRunIn === true) return true;
  if (!/\p{L}{2}/u.test(text) || text.length > maxLetters || lineCount > maxLines) return false;
  if (isCaption(text) || isLabel(passage) || next === undefined) return false;
  if (taggedLevel !== undefined || titles.has(titleKey(text))) return true;
  return readsAsTitle(text) && !look.isMonospaced && standsOut(look, body);
}

// Lines of authors with their marks, and facts with their names (`Received: 1 May`), stand on title pages.
function isLabel({ text, inlines }: Passage): boolean {
  const marks = inlines.filter((inline) => typeof inline !== "string" && inline.type === "superscript").length;
  return (
    marks > 1 ||
    /^(?:received|revised|accepted|published|available|citation|correspond\w+|key ?words?|e-?mail|edited by|reviewed by|how to cite)[^:]{0,30}:/i.test(
      text,
    )
  );
}

// A title begins like one and does not end like a sentence, unless it is numbered.
function readsAsTitle(text: string): boolean {
  const isSentence = /[.,;]$/.test(text) && !/^\d+(?:\.\d+)*\.?\s/.test(text);
  return !isSentence && !/^[\p{Ll}(]/u.test(text) && !isDataLike(text);
}

function standsOut(look: Look, body: BodyLook): boolean {
  if (look.size >= body.size * 1.08) return true;
  if (look.isBold && look.size >= body.size * 0.7) return true;
  if (look.size < body.size * 0.86) return false;
  return look.isItalic || look.isCapitals || (look.fontName !== body.fontName && look.size >= body.size * 0.92);
}

// Addresses, dates, identifiers and formulas are mostly not words.
function isDataLike(title: string): boolean {
  const text = title.replace(/^[\d.]+\s/, "");
  const letters = text.replace(/[^\p{L}]/gu, "").length;
  return letters < text.replace(/\s/g, "").length * 0.6 || /@|https?:|www\.|doi\.org|©/i.test(text);
}

/** Whether a passage begins as the caption of a figure or a table does. */
export function isCaption(text: string): boolean {
  return /^(?:supplementa(?:ry|l)\s+|extended data\s+|online\s+)?(?:fig(?:ure|\.)?|tab(?:le|\.)|scheme|box|chart|plate|listing|algorithm|abbildung|tabelle|tableau|cuadro|tabla)\s*\.?\s*[A-Z]?\d+[A-Za-z]?\b/i.test(
    text,
  );
}

export function titleKey(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

// A look in which a good part of the document is set marks no headings.
function dropCommonLooks(
  candidates: readonly Passage[],
  passages: readonly Passage[],
  titles: ReadonlyMap<string, number>,
): Passage[] {
  const letters = new Map<string, number>();
  let all = 0;
  for (const passage of passages) {
    const key = lookKey(passage.look);
    letters.set(key, (letters.get(key) ?? 0) + passage.text.length);
    all += passage.text.length;
  }
  return candidates.filter((passage) => {
    const isTold = passage.isRunIn === true || passage.taggedLevel !== undefined || titles.has(titleKey(passage.text));
    return isTold || (letters.get(lookKey(passage.look)) ?? 0) < all * 0.25;
  });
}

/** So many passages of one look in a row, without text between, are entries or cells. */
const minSeries = 3;

function dropSeries(
  candidates: readonly Passage[],
  passages: readonly Passage[],
  titles: ReadonlyMap<string, number>,
): Passage[] {
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
  return candidates.filter((passage) => !dropped.has(passage) || titles.has(titleKey(passage.text)));
}

/** Letters of a passage that can be the text under a heading; figures have labels of fewer. */
const minTextLetters = 36;

// A heading leads to text or to another heading; labels within figures stand among scraps.
function dropUnled(candidates: readonly Passage[], passages: readonly Passage[]): Passage[] {
  const chosen = new Set(candidates);
  const firstPage = passages[0]?.page;
  return passages.filter((passage, index) => {
    if (!chosen.has(passage)) return false;
    const next = passages[index + 1];
    const isLed =
      next !== undefined && (chosen.has(next) || next.text.length >= minTextLetters || next.mark !== undefined);
    return isLed || passage.page === firstPage || passage.taggedLevel !== undefined;
  });
}

// What stands above the title on its page names the journal or the kind of paper.
function dropBanner(headings: readonly Passage[], title: Passage | undefined): Passage[] {
  return title === undefined ? [...headings] : headings.slice(headings.indexOf(title));
}

function lookKey(look: Look): string {
  return `${Math.round(look.size * 2)} ${look.isBold} ${look.isItalic} ${look.isCapitals} ${look.fontName}`;
}

interface Cluster {
  readonly key: string;
  readonly weight: number;
  readonly members: Passage[];
}

function assignLevels(
  headings: readonly Passage[],
  title: Passage | undefined,
  titles: ReadonlyMap<string, number>,
): Map<Passage, number> {
  const clusters = cluster(headings);
  const shift = title === undefined ? 0 : 1;
  const ranks = new Map(
    clusters
      .filter(({ members }) => members.some((member) => member !== title))
      .map(({ key }, index) => [key, index + 1 + shift]),
  );
  // An outline that does not begin with the title begins with what stands below it.
  const outlineShift = title !== undefined && titles.get(titleKey(title.text)) === 1 ? 0 : shift;
  const levels = new Map<Passage, number>();
  for (const heading of headings) {
    const told = heading.taggedLevel ?? toldByOutline(heading, titles, outlineShift);
    const looks = Math.min(6, ranks.get(clusterKey(heading)) ?? 1);
    levels.set(heading, heading === title ? 1 : (told ?? numberedLevel(heading.text, shift) ?? looks));
  }
  return levels;
}

function toldByOutline(heading: Passage, titles: ReadonlyMap<string, number>, shift: number): number | undefined {
  const level = titles.get(titleKey(heading.text));
  return level === undefined ? undefined : Math.min(6, level + shift);
}

function numberedLevel(text: string, shift: number): number | undefined {
  const match = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{L}/u.exec(text);
  return match === null ? undefined : Math.min(6, (match[1] as string).split(".").length + shift);
}

// Looks from the highest rank to the lowest: size first, then capitals, weight, and upright before italic.
function cluster(headings: readonly Passage[]): Cluster[] {
  const clusters = new Map<string, Cluster>();
  for (const heading of headings) {
    const key = clusterKey(heading);
    const known = clusters.get(key);
    if (known === undefined) clusters.set(key, { key, weight: weightOf(heading), members: [heading] });
    else known.members.push(heading);
  }
  return [...clusters.values()].sort((a, b) => b.weight - a.weight);
}

function clusterKey({ look, isRunIn }: Passage): string {
  return isRunIn === true ? `run-in ${look.isBold}` : lookKey(look);
}

// A heading within the first line of its text ranks below all that stand alone.
function weightOf({ look, isRunIn }: Passage): number {
  if (isRunIn === true) return look.isBold ? -1 : -2;
  return Math.round(look.size * 2) * 10 + (look.isCapitals ? 4 : 0) + (look.isBold ? 5 : 0) - (look.isItalic ? 2 : 0);
}

/** A title has at least so many words; the name of a journal, set as large, mostly has fewer. */
const minTitleWords = 4;

// The largest heading of several words on the first page, when nothing on later pages is as large.
function findTitle(headings: readonly Passage[], passages: readonly Passage[]): Passage | undefined {
  const firstPage = passages[0]?.page;
  const later = Math.max(0, ...headings.filter(({ page }) => page !== firstPage).map(({ look }) => look.size));
  const [title] = headings
    .filter(({ page, text, isRunIn }) => page === firstPage && isRunIn !== true && numberedLevel(text, 0) === undefined)
    .filter(({ text }) => text.split(/\s+/).length >= minTitleWords)
    .sort((a, b) => b.look.size - a.look.size);
  return title !== undefined && title.look.size > later * 1.03 ? title : undefined;
}
