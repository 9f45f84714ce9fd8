import { findRecord, recordType } from "./records.ts";

/** Kinds of placeholders ([MS-PPT] 2.13.20) that are read in a way of their own. */
export const placeholders = {
  none: 0,
  masterTitle: 1,
  masterCentredTitle: 3,
  masterDate: 7,
  masterHeader: 10,
  title: 13,
  centredTitle: 15,
  verticalTitle: 17,
} as const;

/** What a shape stands for, by its client data; 0 for nothing. */
export function findPlaceholder(facts: Buffer | undefined): number {
  const atom = findRecord(facts, recordType.placeholder)?.body;
  // After the position, which is -1 for shapes that are no placeholders any more ([MS-PPT] 2.5.10).
  if (atom !== undefined && atom.length >= 5) return atom[4] ?? placeholders.none;
  return findRecord(facts, recordType.headerFooterPlaceholder)?.body[0] ?? placeholders.none;
}

export function isTitlePlaceholder(placeholder: number): boolean {
  const { masterTitle, masterCentredTitle, title, centredTitle, verticalTitle } = placeholders;
  return [masterTitle, masterCentredTitle, title, centredTitle, verticalTitle].some((kind) => kind === placeholder);
}

/** Dates, numbers, footers and headers that the master repeats on every slide. */
export function isRunningPlaceholder(placeholder: number): boolean {
  return placeholder >= placeholders.masterDate && placeholder <= placeholders.masterHeader;
}
