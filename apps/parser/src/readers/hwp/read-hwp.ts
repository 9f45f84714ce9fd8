import { readOleProperties } from "../../containers/ole-properties.ts";
import type { Block } from "../../document/document.ts";
import type { ReadDocument } from "../reader.ts";
import { readDocInfo } from "./doc-info.ts";
import { HangulReading } from "./flow.ts";
import { openHwp } from "./hwp-file.ts";
import { readHwpRecords } from "./hwp-records.ts";
import type { HwpStory } from "./hwp-story.ts";
import { readParagraphs } from "./read-paragraphs.ts";

/** Hangul documents of version 5 (Hancom, “HWP document file format 5.0”, revision 1.3). */
export const readHwp: ReadDocument = (input, context) => {
  const { budget } = context;
  const { maxMarkupDepth } = budget.limits;
  const file = openHwp(input.bytes, budget);
  const reading = new HangulReading(context);
  const story: HwpStory = {
    file,
    info: readDocInfo(file.info, maxMarkupDepth),
    reading,
    readParagraphs: (records) => readParagraphs(records, story),
  };
  const blocks: Block[] = [];
  for (const section of file.sections) {
    if (budget.isTimeSpent && blocks.length > 0) {
      context.warn("Reading took longer than allowed: the last sections were left out.");
      break;
    }
    for (const block of readParagraphs(readHwpRecords(section, maxMarkupDepth), story)) blocks.push(block);
  }
  reading.tellLosses();
  return {
    metadata: readOleProperties(file.properties, "\u0005HwpSummaryInformation"),
    blocks: [...blocks, ...reading.footnotes],
  };
};
