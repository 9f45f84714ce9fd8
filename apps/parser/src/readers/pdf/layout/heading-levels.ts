import { lookKey } from "./heading-evidence.ts";
import { type OutlineTitles, titleKey } from "./heading-candidates.ts";
import type { Passage } from "./passage.ts";
import { sectionDepth } from "./section-number.ts";

const deepest = 6;

/** Headings that look alike. */
interface Cluster {
  readonly weight: number;
  readonly members: Passage[];
}

/**
 * Levels of headings on one scale for the whole document: what the outline says, then tags and numbers, then looks, the
 * larger and heavier the higher. Headings of one look that nothing is said about stand with those of which it is.
 */
export function assignLevels(
  headings: readonly Passage[],
  title: Passage | undefined,
  titles: OutlineTitles,
): Map<Passage, number> {
  const shift = title === undefined ? 0 : 1;
  // An outline that does not begin with the title begins with what stands below it.
  const outlineShift = title !== undefined && titles.get(titleKey(title.text)) === 1 ? 0 : shift;
  const levels = new Map<Passage, number>();
  if (title !== undefined) levels.set(title, 1);
  let above = shift;
  for (const { members } of clusterByLook(headings.filter((heading) => heading !== title))) {
    const areTagsSound = members.filter(({ taggedLevel }) => taggedLevel !== undefined).length * 2 >= members.length;
    const told = members.map((heading) => {
      const outlined = titles.get(titleKey(heading.text));
      if (outlined !== undefined) return outlined + outlineShift;
      const depth = sectionDepth(heading.text);
      return (areTagsSound ? heading.taggedLevel : undefined) ?? (depth === undefined ? undefined : depth + shift);
    });
    const usual = commonest(told) ?? above + 1;
    for (const [index, heading] of members.entries()) levels.set(heading, Math.min(deepest, told[index] ?? usual));
    above = usual;
  }
  return new Map(headings.map((heading) => [heading, levels.get(heading) as number]));
}

// The level of more than half of the members of a cluster.
function commonest(told: readonly (number | undefined)[]): number | undefined {
  const counts = new Map<number, number>();
  for (const level of told) if (level !== undefined) counts.set(level, (counts.get(level) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] * 2 >= told.length ? most[0] : undefined;
}

// Looks from the highest rank to the lowest: size first, then capitals, weight, and upright before italic.
function clusterByLook(headings: readonly Passage[]): Cluster[] {
  const clusters = new Map<string, Cluster>();
  for (const heading of headings) {
    const key = heading.isRunIn === true ? `run-in ${heading.look.isBold}` : lookKey(heading.look);
    const known = clusters.get(key);
    if (known === undefined) clusters.set(key, { weight: weightOf(heading), members: [heading] });
    else known.members.push(heading);
  }
  return [...clusters.values()].sort((a, b) => b.weight - a.weight);
}

// A heading within the first line of its text ranks below all that stand alone.
function weightOf({ look, isRunIn }: Passage): number {
  if (isRunIn === true) return look.isBold ? -1 : -2;
  return Math.round(look.size * 2) * 10 + (look.isCapitals ? 4 : 0) + (look.isBold ? 5 : 0) - (look.isItalic ? 2 : 0);
}
