import type { OutlineEntry } from "../page-content.ts";
import { findBodyLook, isProse } from "./body-look.ts";
import { findTitle } from "./document-title.ts";
import { mayBeHeading, outlineTitles } from "./heading-candidates.ts";
import { weighCandidates } from "./heading-evidence.ts";
import { assignLevels } from "./heading-levels.ts";
import type { Passage } from "./passage.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** Levels of the passages that are headings, from 1, on one scale for the whole document. */
export function findHeadingLevels(
  blocks: readonly PlacedBlock[],
  outline: readonly OutlineEntry[],
): Map<Passage, number> {
  const passages = blocks.filter((block) => block.kind === "text");
  const body = findBodyLook(passages);
  const titles = outlineTitles(outline);
  const candidates = passages.filter((passage) => mayBeHeading(passage, body, titles));
  const evidence = {
    passages,
    body,
    titles,
    prose: new Set(passages.filter(isProse)),
    beforeTables: findBeforeTables(blocks),
  };
  const headings = weighCandidates(candidates, evidence);
  const title = findTitle(headings, passages);
  return assignLevels(dropBanner(headings, title), title, titles);
}

function findBeforeTables(blocks: readonly PlacedBlock[]): Set<Passage> {
  const found = new Set<Passage>();
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "text" && blocks[index + 1]?.kind === "table") found.add(block);
  }
  return found;
}

// What stands above the title on its page names the journal or the kind of paper.
function dropBanner(headings: readonly Passage[], title: Passage | undefined): readonly Passage[] {
  return title === undefined ? headings : headings.slice(headings.indexOf(title));
}
