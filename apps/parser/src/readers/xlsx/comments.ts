import type { Block, Inline } from "../../document/document.ts";
import { type OpcElement, parseOpcElement } from "../../containers/opc-element.ts";
import { attempt, decodeXml, type OpcPackage, type OpcRelationships } from "../../containers/opc-package.ts";
import { parseCellReference } from "../../spreadsheet/cell-reference.ts";
import type { SheetBuilder } from "../../spreadsheet/sheet-builder.ts";
import type { XlsxContext } from "./xlsx-context.ts";

export interface PartContext {
  readonly opc: OpcPackage;
  readonly context: XlsxContext;
}

/** Adds the notes of cells. Threaded comments stand in them as well, under words that only old programs show. */
export function addComments(
  builder: SheetBuilder,
  relationships: OpcRelationships,
  { opc, context }: PartContext,
): void {
  const partName = relationships.partOfKind("comments");
  if (partName === undefined) return;
  attempt(partName, context.warn, () => {
    const bytes = opc.read(partName);
    const root = bytes && parseOpcElement(decodeXml(bytes), context.budget.limits.maxMarkupDepth);
    for (const comment of root?.child("s:commentList")?.elements("s:comment") ?? []) {
      const place = parseCellReference(comment.get("ref") ?? "");
      if (place !== undefined) builder.addNote(place.row, place.column, toBlocks(textOf(comment)));
    }
  });
}

function textOf(comment: OpcElement): string {
  const text = (comment.child("s:text")?.descendants("s:t") ?? []).map((run) => run.text).join("");
  return text.replace(/^\[Threaded comment\][\s\S]*?\n(?:Comment|Commentaire|Kommentar|Comentario|Commento):\s*/, "");
}

function toBlocks(text: string): Block[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return [];
  const inlines = lines.flatMap((line, at): Inline[] => (at === 0 ? [line] : [{ type: "lineBreak" }, line]));
  return [{ type: "paragraph", inlines }];
}
