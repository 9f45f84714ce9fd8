import { AppError } from "@attune/service-kit/app-error.ts";
import { readOleProperties } from "../../containers/ole-properties.ts";
import type { Block } from "../../document/document.ts";
import type { ReadDocument } from "../reader.ts";
import { chooseSlides } from "../choose-slides.ts";
import { Deck, type SlideEntry } from "./deck.ts";
import { openPresentation, type PresentationFile } from "./open-presentation.ts";
import { readOutline, readSlide } from "./read-slide.ts";
import { type PptRecord, recordType } from "./records.ts";

/** Presentations of PowerPoint 97 to 2003 ([MS-PPT]). */
export const readPpt: ReadDocument = (input, context) => {
  const file = openPresentation(input.bytes, context.options.password);
  const deck = new Deck(file, context);
  const slides = listSlides(deck, file);
  const blocks: Block[] = [];
  let readCount = 0;
  for (const number of chooseSlides(slides.length, context)) {
    if (context.budget.isTimeSpent && readCount > 0) {
      context.warn(`Reading took longer than allowed: the slides from ${number} on were left out.`);
      break;
    }
    const slide = slides[number - 1];
    if (slide === undefined) continue;
    readCount++;
    blocks.push({ type: "pageBreak", number });
    for (const block of readListed(slide, deck, number)) blocks.push(block);
  }
  tellLeftOut(deck);
  return { metadata: { ...readOleProperties(file.streams), pageCount: slides.length }, blocks };
};

interface ListedSlide {
  readonly entry: SlideEntry;
  readonly record: PptRecord | undefined;
}

function listSlides(deck: Deck, file: PresentationFile): ListedSlide[] {
  const listed = deck.slides.map((entry) => {
    const record = file.open(entry.persistId);
    return { entry, record: record?.type === recordType.slide ? record : undefined };
  });
  if (listed.some(({ record }) => record !== undefined)) return listed;
  const found = file.scan();
  if (found.length > 0) {
    deck.context.warn(
      "The list of slides is damaged: slides were read as they lie in the file, in any order, and old versions of them too.",
    );
    return found.map((record, index) => ({ entry: { persistId: 0, slideId: -1 - index, outline: [] }, record }));
  }
  if (listed.length > 0 || file.document !== undefined) return listed;
  throw new AppError("DOCUMENT_CORRUPT", { detail: "Neither its document nor any slide can be found." });
}

function readListed({ entry, record }: ListedSlide, deck: Deck, number: number): Block[] {
  if (record !== undefined) return readSlide({ record, entry, number }, deck);
  deck.damagedSlides.push(number);
  return readOutline(entry, deck);
}

const maxNamed = 50;

function tellLeftOut(deck: Deck): void {
  const { commentCount, context, damagedSlides, hiddenSlides, masterShapeCount, presentTimeCount } = deck;
  if (damagedSlides.length > 0) {
    const named = damagedSlides.slice(0, maxNamed).join(", ");
    context.warn(`Slides whose own records are lost or damaged have only the text of their outline, if any: ${named}.`);
  }
  if (masterShapeCount > 0) {
    context.warn(
      `Text that masters repeat on slides was left out (shapes: ${masterShapeCount}). Ask for it with \`headers_footers\`.`,
    );
  }
  if (presentTimeCount > 0)
    context.warn(`Fields that show the present date or time were left out (${presentTimeCount}).`);
  if (commentCount > 0) context.warn(`Comments were left out (${commentCount}).`);
  if (hiddenSlides.length > 0) {
    context.warn(`Slides hidden in the show were kept: ${hiddenSlides.slice(0, maxNamed).join(", ")}.`);
  }
}
