import type { GrayPicture } from "../../../ocr/gray-picture.ts";
import { closeAfter } from "./close-after.ts";
import type { OpenDocument } from "./open-document.ts";
import { readPageFrame } from "./page-frame.ts";

export interface Rendering {
  readonly dpi: number;
  /** A larger page is drawn at a smaller scale. */
  readonly maxPixels: number;
}

/** FPDFBitmap_Gray, FPDF_ANNOT and FPDF_RENDER_LIMITEDIMAGECACHE, fpdfview.h. */
const grayBitmap = 1;
const drawAnnotations = 0x01;
const limitCache = 0x200;
const white = 0xffffffff;
const pointsPerInch = 72;

/** Draws the page with this zero-based index in shades of gray; undefined when PDFium cannot load or draw it. */
export function renderPage(document: OpenDocument, index: number, rendering: Rendering): GrayPicture | undefined {
  const { raw } = document.pdfium;
  const page = raw._FPDF_LoadPage(document.pointer, index);
  if (page === 0) return undefined;
  return closeAfter(
    () => drawPage(document, page, rendering),
    () => raw._FPDF_ClosePage(page),
  );
}

/** Draws a loaded page, without its form fields. */
export function drawPage(
  { pdfium }: Pick<OpenDocument, "pdfium">,
  page: number,
  { dpi, maxPixels }: Rendering,
): GrayPicture | undefined {
  const { raw } = pdfium;
  const frame = readPageFrame(pdfium, page);
  const wanted = dpi / pointsPerInch;
  const scale = Math.min(wanted, Math.sqrt(maxPixels / (frame.width * frame.height)));
  const width = Math.max(1, Math.floor(frame.width * scale));
  const height = Math.max(1, Math.floor(frame.height * scale));
  const bitmap = raw._FPDFBitmap_CreateEx(width, height, grayBitmap, 0, 0);
  if (bitmap === 0) return undefined;
  return closeAfter(
    () => {
      raw._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
      raw._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, drawAnnotations | limitCache);
      const start = raw._FPDFBitmap_GetBuffer(bitmap);
      const stride = raw._FPDFBitmap_GetStride(bitmap);
      const pixels = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) {
        const row = start + y * stride;
        pixels.set(pdfium.bytes.subarray(row, row + width), y * width);
      }
      return { width, height, pixels, dpi: scale * pointsPerInch };
    },
    () => raw._FPDFBitmap_Destroy(bitmap),
  );
}
