import type { Block } from "../../document/document.ts";
import type { DocInfo } from "./doc-info.ts";
import type { HangulReading } from "./flow.ts";
import type { HwpFile } from "./hwp-file.ts";
import type { HwpRecord } from "./hwp-records.ts";

/** What reading any text of a document of version 5 needs. */
export interface HwpStory {
  readonly file: HwpFile;
  readonly info: DocInfo;
  readonly reading: HangulReading;
  /** The paragraphs among these records as blocks: those of cells, notes and boxes are read as those of the text are. */
  readParagraphs(records: readonly HwpRecord[]): Block[];
}
