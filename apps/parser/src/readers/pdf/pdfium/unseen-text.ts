import type { GrayPicture } from "../../../ocr/gray-picture.ts";
import type { Box, Glyph } from "../page-content.ts";
import { findFormMatrix } from "./find-form-matrix.ts";
import { multiply, type PageFrame, transformBox } from "./page-frame.ts";
import type { TextPage } from "./read-glyphs.ts";
import type { Pdfium } from "./pdfium.ts";

/** Glyphs whose text may not show, with the box of each on the page as shown. */
export type Suspects = ReadonlyMap<Glyph, Box>;

/** FPDF_TEXTRENDERMODE_CLIP, fpdf_edit.h: the letters are no ink, but a hole for what is drawn behind them. */
const clipOnly = 7;
/** Marks, clip paths and their segments looked at for one text object. */
const maxMarks = 16;
const maxClipPaths = 16;
const maxSegments = 64;
/** Scale of the picture that decides, and its bound. */
export const unseenRendering = { dpi: 72, maxPixels: 4_000_000 };
/** Shades, of 256, by which ink differs at least from what is around it. */
const minContrast = 10;
/** Where the frame of a clip path is this near, in points, its rounding may be to blame. */
const slack = 1;

/** Where on the page, as shown, a glyph would not show, and whether that is beyond doubt; undefined where it shows everywhere. */
export interface Suspicion {
  readonly isUnseen: (shown: Box) => boolean;
  readonly isCertain: boolean;
}

/**
 * A function that tells where a text object may be hidden: everywhere, when it belongs to optional content (a layer,
 * ISO 32000-1, 8.11), or outside of its clip path, such as the rest of the page that a figure was cut from. PDFium's text layer
 * knows neither. Whether a layer shows is judged by a picture of the page.
 */
export function createSuspicion(page: Pick<TextPage, "pdfium" | "pointer" | "frame">) {
  const { pdfium, frame } = page;
  const { raw } = pdfium;
  const optionalMarks = new Map<number, boolean>();
  const clips = new Map<string, Box | undefined>();

  return (index: number, textObject: number): Suspicion | undefined => {
    if (raw._FPDFTextObj_GetTextRenderMode(textObject) === clipOnly || hasOptionalMark(textObject))
      return { isUnseen: () => true, isCertain: false };
    const clip = clipBoxOf(textObject);
    if (clip === undefined) return undefined;
    const form = findFormMatrix(page, index, textObject);
    const shownClip = transformBox(form === undefined ? frame.matrix : multiply(form, frame.matrix), clip);
    return { isUnseen: (shown) => !overlaps(shownClip, shown), isCertain: true };
  };

  function hasOptionalMark(textObject: number): boolean {
    const count = Math.min(raw._FPDFPageObj_CountMarks(textObject), maxMarks);
    for (let index = 0; index < count; index++) {
      const mark = raw._FPDFPageObj_GetMark(textObject, index);
      let isOptional = optionalMarks.get(mark);
      if (isOptional === undefined) optionalMarks.set(mark, (isOptional = isOptionalMark(mark)));
      if (isOptional) return true;
    }
    return false;
  }

  function isOptionalMark(mark: number): boolean {
    // The name goes behind the cell of its length; only its two letters matter.
    const isNamed = raw._FPDFPageObjMark_GetName(mark, pdfium.cell(9), 64, pdfium.cell(8)) !== 0;
    return isNamed && pdfium.int(8) === 6 && pdfium.int(9) === optionalContent;
  }

  /** The box, in the space of the object, that all clip paths of an object leave; undefined where there are none. */
  function clipBoxOf(textObject: number): Box | undefined {
    const path = raw._FPDFPageObj_GetClipPath(textObject);
    const count = path === 0 ? 0 : Math.min(raw._FPDFClipPath_CountPaths(path), maxClipPaths);
    if (count <= 0) return undefined;
    // Objects under one clip path share its points, so that the addresses of these tell it apart from others.
    let key = "";
    for (let index = 0; index < count; index++) key += `${raw._FPDFClipPath_GetPathSegment(path, index, 0)} `;
    if (!clips.has(key)) clips.set(key, readClipBox(path, count));
    return clips.get(key);
  }

  function readClipBox(path: number, count: number): Box | undefined {
    let box: Box | undefined;
    for (let index = 0; index < count; index++) {
      const bounds = boundsOf(pdfium, path, index);
      if (bounds !== undefined) box = box === undefined ? bounds : intersect(box, bounds);
    }
    return box;
  }
}

function boundsOf(pdfium: Pdfium, path: number, index: number): Box | undefined {
  const { raw } = pdfium;
  const count = raw._FPDFClipPath_CountPathSegments(path, index);
  if (count < 1 || count > maxSegments) return undefined;
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let at = 0; at < count; at++) {
    const segment = raw._FPDFClipPath_GetPathSegment(path, index, at);
    if (raw._FPDFPathSegment_GetPoint(segment, pdfium.cell(0), pdfium.cell(1)) === 0) return undefined;
    const [x, y] = [pdfium.float(0), pdfium.float(1)];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

/** `OC` in UTF-16, as a little-endian integer. */
const optionalContent = 0x0043_004f;

function intersect(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  };
}

function overlaps(clip: Box, { left, top, right, bottom }: Box): boolean {
  return (
    right > clip.left - slack && left < clip.right + slack && bottom > clip.top - slack && top < clip.bottom + slack
  );
}

/** Of suspects that follow one another at least this share leaves no ink when they are hidden, whatever stands over some. */
const minUnseenShare = { many: 0.1, few: 0.5 };
const fewSuspects = 12;

/** The glyphs without those runs of suspects that leave no ink on a picture of the page. */
export function dropUnseen(
  glyphs: readonly Glyph[],
  suspects: Suspects,
  { picture, frame }: { readonly picture: GrayPicture; readonly frame: PageFrame },
): Glyph[] {
  const scale = { x: picture.width / frame.width, y: picture.height / frame.height };
  const kept: Glyph[] = [];
  for (let from = 0; from < glyphs.length;) {
    const first = glyphs[from] as Glyph;
    if (!suspects.has(first)) {
      kept.push(first);
      from++;
      continue;
    }
    let to = from;
    let unseenCount = 0;
    for (let box = suspects.get(first); box !== undefined; box = suspects.get(glyphs[++to] as Glyph)) {
      if (!hasInk(picture, box, scale)) unseenCount++;
    }
    const share = to - from <= fewSuspects ? minUnseenShare.few : minUnseenShare.many;
    if (unseenCount < (to - from) * share) for (let at = from; at < to; at++) kept.push(glyphs[at] as Glyph);
    from = to;
  }
  return kept;
}

function hasInk(
  { pixels, width, height }: GrayPicture,
  box: Box,
  scale: { readonly x: number; readonly y: number },
): boolean {
  const [left, right] = [Math.max(0, Math.floor(box.left * scale.x)), Math.min(width, Math.ceil(box.right * scale.x))];
  const [top, bottom] = [Math.max(0, Math.floor(box.top * scale.y)), Math.min(height, Math.ceil(box.bottom * scale.y))];
  let [darkest, lightest] = [255, 0];
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const shade = pixels[y * width + x] as number;
      if (shade < darkest) darkest = shade;
      if (shade > lightest) lightest = shade;
    }
  }
  return lightest - darkest >= minContrast;
}
