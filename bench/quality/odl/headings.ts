import { collapse, splitLines } from "./python-text.ts";
import { createEditShare } from "./string-distance.ts";
import { type Tree, treeDistance } from "./tree-distance.ts";

interface Section extends Tree<Section> {
  readonly kind: "document" | "heading" | "content";
  readonly text: string;
  readonly children: Section[];
}

/**
 * MHS: how near the headings and what stands under each come to the truth's, all headings on one level; MHS-S: their number
 * and places alone. Nothing where the truth has no heading, 0 where only the candidate has none.
 */
export function scoreHeadings(truth: string, candidate: string): { mhs?: number; mhsS?: number } {
  const [expected, found] = [toSections(truth), toSections(candidate)];
  if (!hasHeading(expected)) return {};
  if (!hasHeading(found)) return { mhs: 0, mhsS: 0 };
  const size = Math.max(countNodes(expected), countNodes(found));
  const editShare = createEditShare();
  const likeness = (cost: (one: Section, other: Section) => number): number => {
    const distance = treeDistance(expected, found, (one, other) => (one.kind === other.kind ? cost(one, other) : 1));
    return Math.max(0, 1 - distance / size);
  };
  return { mhs: likeness((one, other) => editShare(one.text, other.text)), mhsS: likeness(() => 0) };
}

function toSections(markdown: string): Section {
  const root: Section = { kind: "document", text: "", children: [] };
  let within = root;
  let content: string[] = [];
  const close = (): void => {
    const text = collapse(content.join(" "));
    if (text !== "") within.children.push({ kind: "content", text, children: [] });
    content = [];
  };
  for (const line of splitLines(markdown)) {
    const title = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (title === undefined) {
      content.push(line);
      continue;
    }
    close();
    within = { kind: "heading", text: collapse(title), children: [] };
    root.children.push(within);
  }
  close();
  return root;
}

function hasHeading({ children }: Section): boolean {
  return children.some(({ kind }) => kind === "heading");
}

function countNodes({ children }: Section): number {
  return children.reduce((count, child) => count + countNodes(child), 1);
}
