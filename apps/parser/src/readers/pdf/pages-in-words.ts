const maxRanges = 12;

/** `page 3`, `pages 1–4, 7` of ascending page numbers; a long list is cut and says so. */
export function pagesInWords(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const shown = ranges.slice(0, maxRanges).map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const more = ranges.length > maxRanges ? " and more" : "";
  return `page${numbers.length === 1 ? "" : "s"} ${shown.join(", ")}${more}`;
}
