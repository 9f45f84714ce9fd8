import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";

/** Share of the page's height, at its head and at its foot, in which running lines stand. */
const edgeShare = 0.13;
/** A text that stands at the same place on this many pages is furniture; fewer suffice in short documents. */
const minPages = 3;
const placeSlack = 8;

/** Lines that belong to the pages and not to the text: running heads and feet, page numbers, line numbers. */
export function findFurniture(pages: readonly PageLines[]): Set<Line> {
  const furniture = new Set<Line>();
  addRepeated(pages, furniture);
  addPageNumbers(pages, furniture);
  for (const page of pages) addLineNumbers(page, furniture);
  return furniture;
}

interface Place {
  readonly page: number;
  readonly line: Line;
  readonly at: number;
}

function addRepeated(pages: readonly PageLines[], furniture: Set<Line>): void {
  const places = new Map<string, Place[]>();
  for (const page of pages) {
    for (const { line, at } of [...edgeLines(page), ...page.turnedLines.map((line) => ({ line, at: -1 }))]) {
      const key = patternOf(line);
      if (key === "") continue;
      const list = places.get(key);
      const place = { page: page.number, line, at };
      if (list === undefined) places.set(key, [place]);
      else list.push(place);
    }
  }
  const needed = Math.max(2, Math.min(minPages, Math.ceil(pages.length * 0.6)));
  for (const list of places.values()) addSteady(list, needed, furniture);
}

// A text with words may wander a little from page to page; one of digits alone must stand still, or it is a table's.
function addSteady(list: readonly Place[], needed: number, furniture: Set<Line>): void {
  for (const place of list) {
    const same = list.filter(({ at }) => Math.abs(at - place.at) <= placeSlack);
    if (new Set(same.map(({ page }) => page)).size >= needed) furniture.add(place.line);
  }
}

/** Lines near the upper and lower edge, with their distance from that edge (counted negative at the foot). */
function edgeLines({ lines, height }: PageLines): { line: Line; at: number }[] {
  return lines.flatMap((line) => {
    if (line.baseline < height * edgeShare) return [{ line, at: line.baseline }];
    return line.baseline > height * (1 - edgeShare) ? [{ line, at: line.baseline - height - 1000 }] : [];
  });
}

/** The text of a line with every number alike. */
function patternOf(line: Line): string {
  return textOf(line)
    .toLowerCase()
    .replace(/\d+/g, "#")
    .replace(/\b[ivxlc]+\b/g, "#")
    .trim();
}

function textOf(line: Line): string {
  return line.words.map(({ text, isGlued }, index) => (index === 0 || isGlued ? text : ` ${text}`)).join("");
}

// A number alone at the head or foot, which grows with the page.
function addPageNumbers(pages: readonly PageLines[], furniture: Set<Line>): void {
  const numbers = pages.flatMap((page) =>
    edgeLines(page).flatMap(({ line }) => {
      const match = /^(?:page\s*|[-–—|\s]*)?(\d{1,5})(?:\s*(?:of|\/)\s*\d{1,5})?[-–—|\s]*$/i.exec(textOf(line));
      return match === null ? [] : [{ line, offset: Number(match[1]) - page.number }];
    }),
  );
  for (const { line, offset } of numbers) {
    const steady = numbers.filter((other) => other.offset === offset).length;
    if (steady >= Math.min(2, pages.length) && (pages.length > 1 || offset === 0)) furniture.add(line);
  }
}

const minLineNumbers = 12;

// Numbers that count the lines of a manuscript, in a column of their own left of the text.
function addLineNumbers({ lines }: PageLines, furniture: Set<Line>): void {
  const numbers = lines.filter((line) => line.words.length === 1 && /^\d{1,4}$/.test(textOf(line)));
  if (numbers.length < minLineNumbers) return;
  const textLeft = Math.min(...lines.filter((line) => line.words.length > 3).map((line) => line.left));
  const margin = numbers.filter((line) => line.right <= textLeft + 1).sort((a, b) => a.baseline - b.baseline);
  const values = margin.map((line) => Number(textOf(line)));
  const steps = values.slice(1).map((value, index) => value - (values[index] as number));
  const usual = steps[Math.floor(steps.length / 2)];
  if (margin.length < minLineNumbers || (usual !== 1 && usual !== 5)) return;
  if (steps.filter((step) => step === usual).length >= steps.length * 0.8) for (const line of margin) furniture.add(line);
}
