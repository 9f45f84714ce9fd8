import { scoreHeadings } from "./headings.ts";
import { scoreReadingOrder } from "./reading-order.ts";
import { scoreTables } from "./tables.ts";
import { tablesToHtml } from "./tables-to-html.ts";

/** The measures of opendataloader-bench, each from 0 to 1; those that the truth has nothing for are missing. */
export interface OdlScores {
  readonly nid?: number;
  readonly nidS?: number;
  readonly teds?: number;
  readonly tedsS?: number;
  readonly mhs?: number;
  readonly mhsS?: number;
  /** Mean of `nid`, `teds` and `mhs` as far as they are there. */
  readonly overall?: number;
}

export const odlMeasures = ["overall", "nid", "nidS", "teds", "tedsS", "mhs", "mhsS"] as const;

/** Scores Markdown against the true Markdown, as `src/evaluator.py` of opendataloader-bench does. */
export function scoreDocument(truth: string, candidate: string): OdlScores {
  const expected = tablesToHtml(toUnixLines(truth));
  const found = tablesToHtml(toUnixLines(candidate));
  const scores = {
    ...scoreReadingOrder(expected, found),
    ...scoreTables(expected, found),
    ...scoreHeadings(expected, found),
  };
  const parts = [scores.nid, scores.teds, scores.mhs].filter((part) => part !== undefined);
  return parts.length === 0
    ? scores
    : { ...scores, overall: parts.reduce((sum, part) => sum + part, 0) / parts.length };
}

function toUnixLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
