import type { Box, PageContent, PageLink } from "../page-content.ts";
import { closeAfter } from "./close-after.ts";
import type { OpenDocument } from "./open-document.ts";
import { type PageFrame, readPageFrame, transformBox } from "./page-frame.ts";
import { readGlyphs } from "./read-glyphs.ts";
import { readGraphics } from "./read-graphics.ts";
import { readTags } from "./read-tags.ts";
import { drawPage } from "./render-page.ts";
import { unseenRendering } from "./unseen-text.ts";

/** Annotations whose appearance is text on the page, FPDF_ANNOT_* of fpdf_annot.h: free text, stamp, widget. */
const writtenAnnotations = new Set([3, 13, 20]);
const maxAnnotations = 5000;
/** Share of the page that one picture covers on a scan. */
const scanShare = 0.4;
/** FPDFACTION_URI, fpdf_doc.h. */
const uriAction = 3;

/** What the page with this zero-based index shows; undefined when PDFium cannot load it. */
export function readPage(document: OpenDocument, index: number): PageContent | undefined {
  document.makeRoom();
  const { raw } = document.pdfium;
  let page = raw._FPDF_LoadPage(document.pointer, index);
  // Text of forms and annotations is in the text layer only once they are drawn into the page.
  if (page !== 0 && hasWrittenAnnotations(document, page)) {
    flatten(document, page);
    raw._FPDF_ClosePage(page);
    page = raw._FPDF_LoadPage(document.pointer, index);
  }
  if (page === 0) return undefined;
  return closeAfter(
    () => readLoadedPage(document, page, index + 1),
    () => raw._FPDF_ClosePage(page),
  );
}

function flatten({ pdfium: { raw }, form }: OpenDocument, page: number): void {
  if (form !== 0) raw._FORM_OnAfterLoadPage(page, form);
  raw._FPDFPage_Flatten(page, 0);
  if (form !== 0) raw._FORM_OnBeforeClosePage(page, form);
}

function hasWrittenAnnotations({ pdfium: { raw } }: OpenDocument, page: number): boolean {
  const count = Math.min(raw._FPDFPage_GetAnnotCount(page), maxAnnotations);
  for (let index = 0; index < count; index++) {
    const annotation = raw._FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    const subtype = raw._FPDFAnnot_GetSubtype(annotation);
    raw._FPDFPage_CloseAnnot(annotation);
    if (writtenAnnotations.has(subtype)) return true;
  }
  return false;
}

function readLoadedPage(document: OpenDocument, page: number, number: number): PageContent | undefined {
  const { pdfium } = document;
  const frame = readPageFrame(pdfium, page);
  const pointer = pdfium.raw._FPDFText_LoadPage(page);
  if (pointer === 0) return undefined;
  const { tags, alternatives } = readTags(document, page);
  const { rules, backgrounds, images, figures, isCut } = readGraphics(pdfium, page, { frame, alternatives });
  const isScan = images.some((image) => areaOnPage(image, frame) > frame.width * frame.height * scanShare);
  const text = closeAfter(
    () => {
      const draw = () => drawPage(document, page, unseenRendering);
      return readGlyphs({ pdfium, pointer, frame, backgrounds, isScan, tags, draw });
    },
    () => pdfium.raw._FPDFText_ClosePage(pointer),
  );
  const { width, height } = frame;
  const links = readLinks(document, page, frame);
  const { glyphs, hiddenGlyphCount } = text;
  return {
    number,
    width,
    height,
    glyphs,
    rules,
    backgrounds,
    images,
    ...(figures.length > 0 && { figures }),
    links,
    hiddenGlyphCount,
    isCut: isCut || text.isCut,
  };
}

function areaOnPage({ left, top, right, bottom }: Box, { width, height }: PageFrame): number {
  return (
    Math.max(0, Math.min(right, width) - Math.max(left, 0)) * Math.max(0, Math.min(bottom, height) - Math.max(top, 0))
  );
}

function readLinks({ pdfium, pointer }: OpenDocument, page: number, frame: PageFrame): PageLink[] {
  const { raw } = pdfium;
  const links: PageLink[] = [];
  const position = pdfium.allocate(new Uint8Array(8));
  const found = position + 4;
  while (links.length < maxAnnotations && raw._FPDFLink_Enumerate(page, position, found) !== 0) {
    const link = pdfium.intAt(found);
    const action = raw._FPDFLink_GetAction(link);
    if (action === 0 || raw._FPDFAction_GetType(action) !== uriAction) continue;
    const target = pdfium.utf8((buffer, size) => raw._FPDFAction_GetURIPath(pointer, action, buffer, size));
    if (!/^(?:https?:|mailto:|ftp:)/i.test(target) || raw._FPDFLink_GetAnnotRect(link, pdfium.scratch) === 0) continue;
    const rectangle = { left: pdfium.float(0), top: pdfium.float(1), right: pdfium.float(2), bottom: pdfium.float(3) };
    links.push({ ...transformBox(frame.matrix, rectangle), target });
  }
  pdfium.release(position);
  return links;
}
