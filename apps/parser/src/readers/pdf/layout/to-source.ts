import type { BlockSource } from "../../../document/document.ts";
import type { Box, Turn } from "../page-content.ts";
import { transformBox, turnMatrix } from "../pdfium/page-frame.ts";
import type { PageLines } from "./page-lines.ts";

/** How the frame in which a page is read lies on the page as it is shown. */
export type PageFrame = Pick<PageLines, "turn" | "isMirrored" | "width" | "height">;

interface OnPage extends Box {
  readonly page: number;
  /** Its text runs in another direction than that of the page, so that its box is in no frame of the page. */
  readonly isTurned?: boolean;
}

/**
 * Where a box in the frame of its page stands on the page as it is shown; without a frame the two are the same. Of turned text
 * only the page is told.
 */
export function toSource(block: OnPage, frame: PageFrame | undefined): BlockSource {
  if (block.isTurned === true) return { page: block.page };
  const { left, top, right, bottom } = frame === undefined ? block : toShownBox(block, frame);
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return { page: block.page, box: [tenth(left), tenth(top), tenth(right), tenth(bottom)] };
}

function toShownBox({ left, top, right, bottom }: Box, { turn, isMirrored, width, height }: PageFrame): Box {
  const box = isMirrored ? { left: width - right, top, right: width - left, bottom } : { left, top, right, bottom };
  // A turn by as much as is left to a whole one; the frame's sides are those of the turned page.
  return transformBox(turnMatrix(((4 - turn) % 4) as Turn, { width, height }), box);
}
