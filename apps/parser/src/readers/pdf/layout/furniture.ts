import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import { findRows } from "./text-block.ts";

/** Share of the page's height, at its head and at its foot, in which running lines stand. */
const edgeShare = 0.13;
/** A text that stands at the same place on this many pages is furniture; fewer suffice in short documents. */
const minPages = 3;
const placeSlack = 8;

interface Place {
  readonly page: number;
  readonly line: Line;
  /** Distance from the nearer edge; see `edgeLines`. */
  readonly at: number;
}

/**
 * Finds the lines that belong to the pages and not to the text: running heads and feet, page numbers, line numbers. Long
 * documents come in several lots of pages; what was found in one is known in the next.
 */
export class FurnitureFinder {
  readonly #knownPlaces = new Map<string, number[]>();
  readonly #knownOffsets = new Set<number>();

  find(pages: readonly PageLines[]): Set<Line> {
    const furniture = new Set<Line>();
    this.#addRepeated(pages, furniture);
    this.#addPageNumbers(pages, furniture);
    for (const page of pages) {
      keepText(page, furniture);
      keepRows(page, furniture);
    }
    for (const page of pages) {
      addLineNumbers(page, furniture);
      addArtifacts(page, furniture);
    }
    return furniture;
  }

  #addRepeated(pages: readonly PageLines[], furniture: Set<Line>): void {
    const needed = Math.max(2, Math.min(minPages, Math.ceil(pages.length * 0.6)));
    for (const [pattern, places] of groupByPattern(pages)) {
      const known = this.#knownPlaces.get(pattern) ?? [];
      const steady = places.filter((place) => isKnown(known, place.at) || countPages(places, place.at) >= needed);
      for (const { line } of steady) furniture.add(line);
      const added = steady
        .map(({ at }) => at)
        .filter((at, index, all) => !isKnown([...known, ...all.slice(0, index)], at));
      if (added.length > 0) this.#knownPlaces.set(pattern, [...known, ...added]);
    }
  }

  // A number alone at the head or foot, which grows with the page.
  #addPageNumbers(pages: readonly PageLines[], furniture: Set<Line>): void {
    const numbers = pages.flatMap(pageNumbers);
    // A number that stands on one page several times is of a table there.
    const pagesOf = new Map<number, Set<number>>();
    for (const { offset, page } of numbers) pagesOf.set(offset, (pagesOf.get(offset) ?? new Set()).add(page));
    for (const { line, offset } of numbers) {
      const isSteady = (pagesOf.get(offset)?.size ?? 0) >= 2 || this.#knownOffsets.has(offset);
      if (!isSteady && (pages.length > 1 || offset !== 0)) continue;
      furniture.add(line);
      this.#knownOffsets.add(offset);
    }
  }
}

// Furniture stands off from the text. A repeated line that text goes on from directly is text that happens to repeat.
function keepText({ lines }: PageLines, furniture: Set<Line>): void {
  const text = lines.filter((line) => !furniture.has(line));
  for (const line of lines) {
    if (furniture.has(line) && line.words.length > 1 && text.some((other) => isNextTo(line, other)))
      furniture.delete(line);
  }
}

/** Running heads have fewer pieces on one line; more are the cells of a row, which may repeat from page to page. */
const minCells = 5;

function keepRows({ lines }: PageLines, furniture: Set<Line>): void {
  if (furniture.size === 0) return;
  for (const row of findRows(lines)) if (row.length >= minCells) for (const line of row) furniture.delete(line);
}

function isNextTo(line: Line, other: Line): boolean {
  const distance = Math.abs(line.baseline - other.baseline);
  const isAlike = Math.abs(line.size - other.size) < line.size * 0.05 && fontOf(line) === fontOf(other);
  return isAlike && distance > 0 && distance < line.size * 1.45 && Math.abs(line.left - other.left) < line.size * 3;
}

function fontOf(line: Line): string | undefined {
  return line.words[0]?.style.fontName;
}

function groupByPattern(pages: readonly PageLines[]): Map<string, Place[]> {
  const groups = new Map<string, Place[]>();
  for (const page of pages) {
    for (const { line, at } of [...edgeLines(page), ...page.turnedLines.map((turned) => ({ line: turned, at: -1 }))]) {
      const pattern = patternOf(line);
      if (pattern === "") continue;
      const place = { page: page.number, line, at };
      const group = groups.get(pattern);
      if (group === undefined) groups.set(pattern, [place]);
      else group.push(place);
    }
  }
  return groups;
}

function isKnown(known: readonly number[], at: number): boolean {
  return known.some((other) => Math.abs(other - at) <= placeSlack);
}

function countPages(places: readonly Place[], at: number): number {
  return new Set(places.filter((place) => Math.abs(place.at - at) <= placeSlack).map(({ page }) => page)).size;
}

function pageNumbers(page: PageLines): { line: Line; page: number; offset: number }[] {
  return edgeLines(page).flatMap(({ line }) => {
    const match = /^(?:page\s*|[-–—|\s]*)?(\d{1,5})(?:\s*(?:of|\/)\s*\d{1,5})?[-–—|\s]*$/i.exec(textOf(line));
    return match === null ? [] : [{ line, page: page.number, offset: Number(match[1]) - page.number }];
  });
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

/** Share of the page's height, at its head and foot, in which the file is believed when it says that text is of the page. */
const artifactShare = 0.16;

function addArtifacts({ lines, height }: PageLines, furniture: Set<Line>): void {
  for (const line of lines) {
    const isAtEdge = line.baseline < height * artifactShare || line.baseline > height * (1 - artifactShare);
    if (isAtEdge && line.words.every(({ style }) => style.isArtifact === true)) furniture.add(line);
  }
}

const minLineNumbers = 12;

// Numbers that count the lines of a manuscript, in a column of their own left of the text.
function addLineNumbers({ lines }: PageLines, furniture: Set<Line>): void {
  const numbers = lines.filter((line) => line.words.length === 1 && /^\d{1,4}$/.test(textOf(line)));
  if (numbers.length < minLineNumbers) return;
  const text = lines.filter((line) => line.words.length > 3);
  // Numbers without text beside them are a table.
  if (text.length < minLineNumbers) return;
  const textLeft = Math.min(...text.map((line) => line.left));
  const margin = numbers.filter((line) => line.right <= textLeft + 1).sort((a, b) => a.baseline - b.baseline);
  const values = margin.map((line) => Number(textOf(line)));
  const steps = values.slice(1).map((value, index) => value - (values[index] as number));
  const usual = steps[Math.floor(steps.length / 2)];
  if (margin.length < minLineNumbers || (usual !== 1 && usual !== 5)) return;
  if (steps.filter((step) => step === usual).length >= steps.length * 0.8)
    for (const line of margin) furniture.add(line);
}
