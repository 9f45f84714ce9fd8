/** Height from foot to head of the letters of a line, in any unit, and how many letters it has. */
export interface LineSize {
  readonly size: number;
  readonly letterCount: number;
}

/** Lines of one size are measured this differently, by which letters they have and how well they are printed. */
const bodySlack = 0.16;
const otherSlack = 0.1;

/**
 * One size for lines that are set alike: most lines of a page have the size of its running text, the others go together where they
 * are close. What is measured on a picture differs from line to line, and would look like headings.
 */
export function evenSizes(lines: readonly LineSize[]): readonly number[] {
  const body = medianSize(lines);
  const even = lines.map(({ size }) => (Math.abs(size - body) <= body * bodySlack ? body : size));
  const others = [...lines.keys()].filter((index) => even[index] !== body);
  others.sort((a, b) => (lines[a] as LineSize).size - (lines[b] as LineSize).size);
  for (let from = 0; from < others.length;) {
    const smallest = (lines[others[from] as number] as LineSize).size;
    let to = from;
    while (to < others.length && (lines[others[to] as number] as LineSize).size <= smallest * (1 + otherSlack)) to++;
    const group = others.slice(from, to);
    const size = medianSize(group.map((index) => lines[index] as LineSize));
    for (const index of group) even[index] = size;
    from = to;
  }
  return even;
}

function medianSize(lines: readonly LineSize[]): number {
  const sorted = [...lines].sort((a, b) => a.size - b.size);
  const half = sorted.reduce((sum, { letterCount }) => sum + letterCount, 0) / 2;
  let passed = 0;
  for (const { size, letterCount } of sorted) {
    passed += letterCount;
    if (passed >= half) return size;
  }
  return sorted.at(-1)?.size ?? 0;
}
