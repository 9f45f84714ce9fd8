import type { Block } from "../../../document/document.ts";
import { isCaption } from "../layout/caption.ts";
import type { ObservedPage } from "../layout/observed-page.ts";
import type { Passage } from "../layout/passage.ts";
import type { PlacedBlock } from "../layout/to-blocks.ts";
import { toSource } from "../layout/to-source.ts";

export const roles = [
  "heading",
  "paragraph",
  "list",
  "table",
  "code",
  "caption",
  "footnote",
  "continued",
  "furniture",
] as const;
export type Role = (typeof roles)[number];

/** A block of the page and what became of it in the document; the box is on the page as it is shown. */
export interface BlockRole {
  readonly role: Role;
  readonly label: string;
  readonly text: string;
  readonly box: readonly number[];
}

/** The roles of the blocks of a page, in reading order: those of the document, found by their places. */
export function findRoles({ page, blocks }: ObservedPage, document: readonly Block[]): BlockRole[] {
  const byPlace = new Map<string, Block>();
  for (const block of document) {
    // A run-in heading and its paragraph have one place: the heading comes first.
    const place = block.source?.page === page.number ? block.source.box?.join(" ") : undefined;
    if (place !== undefined && !byPlace.has(place)) byPlace.set(place, block);
  }
  return blocks.map((block) => {
    const { box = [] } = toSource(block, page);
    return { ...roleOf(block, byPlace.get(box.join(" "))), text: block.kind === "text" ? block.text : "", box };
  });
}

function roleOf(block: PlacedBlock, final: Block | undefined): Pick<BlockRole, "role" | "label"> {
  if (block.kind === "table") {
    const columns = Math.max(0, ...block.rows.map((row) => row.length));
    return { role: "table", label: `table ${block.rows.length} × ${columns}` };
  }
  if (final?.type === "heading") return { role: "heading", label: `heading ${final.level}` };
  if (final?.type === "footnote") return { role: "footnote", label: `footnote ${final.id}` };
  return roleOfPassage(block, final);
}

function roleOfPassage({ text, mark, codeText }: Passage, final: Block | undefined): Pick<BlockRole, "role" | "label"> {
  if (final?.type === "code" || codeText !== undefined) return { role: "code", label: "code" };
  if (isCaption(text)) return { role: "caption", label: "caption" };
  if (final?.type === "list" || mark !== undefined) return { role: "list", label: `list item ${mark ?? ""}`.trim() };
  if (final === undefined) return { role: "continued", label: "goes on from before" };
  return { role: "paragraph", label: "paragraph" };
}
