import type { Box } from "../page-content.ts";
import type { Line } from "./line.ts";
import type { PageLines } from "./page-lines.ts";
import type { PlacedBlock } from "./to-blocks.ts";

/** What layout decided about one page; all boxes are in the frame of `page`. */
export interface ObservedPage {
  readonly page: PageLines;
  /** Running heads and feet, page and line numbers, which are left out. */
  readonly furniture: readonly Line[];
  /** Columns and what spans them, in reading order, each with its lines and tables from top to bottom. */
  readonly regions: readonly (readonly Box[])[];
  readonly blocks: readonly PlacedBlock[];
  /** Whether the layout lost letters and the lines are given as they are drawn. */
  readonly isPlain: boolean;
}

export type ObserveLayout = (page: ObservedPage) => void;
