import type { Block, Inline } from "../document.ts";
import { rewriteBlocks } from "../rewrite-blocks.ts";

/**
 * Gives every footnote an id of its own that has neither spaces nor punctuation of Markdown, and turns references to
 * notes that do not exist into raised text.
 */
export function normaliseNotes(blocks: readonly Block[]): readonly Block[] {
  const found = findNotes(blocks);
  if (found.noteIds.length === 0 && !found.hasReference) return blocks;
  const names = nameNotes(found.noteIds);
  const used = new Map<string, number>();
  return rewriteBlocks(blocks, {
    block: (block) =>
      block.type === "footnote" ? renamed(block, nextName(names.get(block.id), used, block.id)) : block,
    inline: (inline) => (isReference(inline) ? toReference(inline, names.get(inline.id)?.[0]) : inline),
  });
}

type Reference = Extract<Inline, { readonly type: "noteReference" }>;

function isReference(inline: Inline): inline is Reference {
  return typeof inline !== "string" && inline.type === "noteReference";
}

function findNotes(blocks: readonly Block[]): { noteIds: string[]; hasReference: boolean } {
  const noteIds: string[] = [];
  let hasReference = false;
  rewriteBlocks(blocks, {
    block: (block) => {
      if (block.type === "footnote") noteIds.push(block.id);
      return block;
    },
    inline: (inline) => {
      hasReference ||= isReference(inline);
      return inline;
    },
  });
  return { noteIds, hasReference };
}

/** For each id in the document, the names of the notes that bear it, in order. Names differ in more than their case. */
function nameNotes(ids: readonly string[]): Map<string, string[]> {
  const takenCounts = new Map<string, number>();
  const names = new Map<string, string[]>();
  for (const id of ids) {
    const name = takeName(plainName(id), takenCounts);
    const namesOfId = names.get(id);
    if (namesOfId === undefined) names.set(id, [name]);
    else namesOfId.push(name);
  }
  return names;
}

function plainName(id: string): string {
  return (
    id
      .normalize("NFC")
      .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
      .replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, "") || "note"
  );
}

function takeName(name: string, takenCounts: Map<string, number>): string {
  let count = (takenCounts.get(foldLabel(name)) ?? 0) + 1;
  let free = count === 1 ? name : `${name}-${count}`;
  while (takenCounts.has(foldLabel(free))) free = `${name}-${++count}`;
  takenCounts.set(foldLabel(name), count);
  takenCounts.set(foldLabel(free), Math.max(takenCounts.get(foldLabel(free)) ?? 0, 1));
  return free;
}

// CommonMark compares labels after folding their case so.
function foldLabel(name: string): string {
  return name.toLowerCase().toUpperCase();
}

function nextName(names: readonly string[] | undefined, used: Map<string, number>, id: string): string {
  const index = used.get(id) ?? 0;
  used.set(id, index + 1);
  return names?.[index] ?? id;
}

function renamed(note: Extract<Block, { readonly type: "footnote" }>, id: string): Block {
  return note.id === id ? note : { ...note, id };
}

function toReference(reference: Reference, name: string | undefined): Inline {
  if (name === undefined) return { type: "superscript", inlines: [reference.id] };
  return name === reference.id ? reference : { ...reference, id: name };
}
