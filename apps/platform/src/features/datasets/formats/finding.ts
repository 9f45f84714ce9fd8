import type { FindingSeverity } from "@attune/contracts/rest/dataset-formats.ts";
import { type FindingCode, findingCodes } from "./finding-codes.ts";

/** One thing that is wrong or worth knowing, at its place in the file. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  /** What is wrong, with what is particular to this place. */
  readonly message: string;
  readonly remedy: string;
  /** Number of the line in the file, from 1. */
  readonly line: number;
  /** Column from 1: in characters (UTF-16 units), between rows in bytes; 1 where only the row is known. */
  readonly column: number;
  /** Number of the row, from 1; undefined for what concerns the whole file. */
  readonly row: number | undefined;
  /** JSON Pointer into the row; "" is the row itself. */
  readonly pointer: string;
}

interface FindingPlace {
  readonly line: number;
  readonly row: number | undefined;
  readonly column?: number;
  readonly pointer?: string;
  /** What is particular to this place: a sentence without its own full text of the row. */
  readonly detail?: string | undefined;
}

/**
 * So many findings of a code are told with their places in a row; more are counted, as the last of these, so that a row that is
 * full of them takes no memory for each.
 */
export const placesOfRow = 100;

export function createFinding(code: FindingCode, place: FindingPlace): Finding {
  const { severity, message, remedy } = findingCodes[code];
  const { line, row, column = 1, pointer = "", detail } = place;
  return { code, severity, message: detail ? `${message} ${detail}` : message, remedy, line, column, row, pointer };
}
