import type { OutlineEntry } from "../page-content.ts";
import type { OpenDocument } from "./open-document.ts";

const maxEntries = 5000;
const maxLevel = 12;

/** The outline in reading order; a tree that turns back on itself is left at the first entry seen twice. */
export function readOutline({ pdfium, pointer }: OpenDocument): OutlineEntry[] {
  const { raw } = pdfium;
  const entries: OutlineEntry[] = [];
  const seen = new Set<number>();
  visit(0, 1);
  return entries;

  function visit(parent: number, level: number): void {
    if (level > maxLevel) return;
    let bookmark = raw._FPDFBookmark_GetFirstChild(pointer, parent);
    while (bookmark !== 0 && !seen.has(bookmark)) {
      if (entries.length >= maxEntries) return;
      seen.add(bookmark);
      const current = bookmark;
      const title = pdfium.utf16((buffer, size) => raw._FPDFBookmark_GetTitle(current, buffer, size));
      const destination = raw._FPDFBookmark_GetDest(pointer, current);
      const index = destination === 0 ? -1 : raw._FPDFDest_GetDestPageIndex(pointer, destination);
      if (title.trim() !== "") entries.push({ title, level, page: index >= 0 ? index + 1 : undefined });
      visit(current, level + 1);
      bookmark = raw._FPDFBookmark_GetNextSibling(pointer, current);
    }
  }
}
