import type { Box } from "../page-content.ts";

/** A straight line across, put together from the pieces it is drawn in. */
export interface CrossRule extends Box {
  /** Where one piece ends and the next begins: mostly the sides of columns. */
  readonly joints: readonly number[];
}

/** A part of the page that may hold a table. */
export interface TableFrame extends Box {
  /** Heights of the lines that go from side to side, top to bottom; edges of shaded rows count as lines. */
  readonly crossLines: readonly number[];
  /** Shorter lines across: below headings over several columns, or around cells. */
  readonly partLines: readonly Box[];
  /** Places of upright lines along most of the frame, left to right, sides included when drawn. */
  readonly uprights: readonly number[];
  /** Places where pieces of lines meet. */
  readonly joints: readonly number[];
  /** A line beginning with “Table” stands above or below. */
  readonly hasCaption: boolean;
}

export function isCentredIn(box: Box, area: Box): boolean {
  const x = (box.left + box.right) / 2;
  const y = (box.top + box.bottom) / 2;
  return x >= area.left - 2 && x <= area.right + 2 && y >= area.top && y <= area.bottom;
}
