import type { OpenDocument } from "./open-document.ts";

const maxElements = 20_000;
const maxDepth = 40;
const none: ReadonlyMap<number, number> = new Map();

/** Marked-content identifiers of a page that lie in heading elements (H, H1–H6) of a tagged file, with the level. */
export function readTaggedLevels({ pdfium, pointer }: OpenDocument, page: number): ReadonlyMap<number, number> {
  const { raw } = pdfium;
  if (raw._FPDFCatalog_IsTagged(pointer) === 0) return none;
  const tree = raw._FPDF_StructTree_GetForPage(page);
  if (tree === 0) return none;
  const levels = new Map<number, number>();
  let left = maxElements;
  const count = raw._FPDF_StructTree_CountChildren(tree);
  for (let index = 0; index < count && left > 0; index++)
    visit(raw._FPDF_StructTree_GetChildAtIndex(tree, index), 0, 0);
  raw._FPDF_StructTree_Close(tree);
  return levels;

  function visit(element: number, outerLevel: number, depth: number): void {
    if (element === 0 || depth > maxDepth || left-- <= 0) return;
    const level =
      headingLevel(pdfium.utf16((buffer, size) => raw._FPDF_StructElement_GetType(element, buffer, size))) ??
      outerLevel;
    const children = raw._FPDF_StructElement_CountChildren(element);
    for (let index = 0; index < children && left > 0; index++) {
      const identifier = raw._FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (identifier >= 0 && level > 0) levels.set(identifier, level);
      if (identifier < 0) visit(raw._FPDF_StructElement_GetChildAtIndex(element, index), level, depth + 1);
    }
  }
}

function headingLevel(type: string): number | undefined {
  const match = /^H([1-6])?$/.exec(type);
  return match === null ? undefined : Number(match[1] ?? 1);
}
