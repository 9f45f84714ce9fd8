import { AppError } from "@attune/service-kit/app-error.ts";
import { nothingReadable, type OpcPackage, openOpcPackage } from "../../containers/opc-package.ts";
import { readOpcProperties } from "../../containers/opc-properties.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { chooseSlides } from "../choose-slides.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { inReadingOrder } from "../reading-order.ts";
import { notesQuote } from "../slide-lines.ts";
import { readMasterShapes, readNotes, readShapes } from "./read-shapes.ts";
import { PresentationReading, type SlidePart } from "./slide-reading.ts";

/** PowerPoint presentations, slide shows and templates in Office Open XML. */
export const readPptx: ReadDocument = (input, context) => {
  const warn = (sentence: string): void => context.warn(sentence);
  const opc = openOpcPackage({ bytes: input.bytes, budget: context.budget, warn });
  const reading = new PresentationReading(opc, context);
  const slides = listSlides(reading);
  const wanted = chooseSlides(slides.length, context);
  const blocks: Block[] = [];
  let readCount = 0;
  for (const number of wanted) {
    if (context.budget.isTimeSpent && readCount > 0) {
      context.warn(`Reading took longer than allowed: the slides from ${number} on were left out.`);
      break;
    }
    const slide = reading.openSlide(slides[number - 1] ?? "");
    if (slide === undefined) continue;
    readCount++;
    blocks.push({ type: "pageBreak", number });
    for (const block of readSlide(slide, number, reading)) blocks.push(block);
  }
  if (readCount === 0 && wanted.length > 0) throw nothingReadable("slides", reading.damage);
  tellLeftOut(reading);
  return { metadata: metadataOf(opc, context, slides.length), blocks };
};

/** Part names of the slides in the order in which they are shown. */
function listSlides(reading: PresentationReading): string[] {
  const { opc } = reading;
  const mainPart = opc.relationshipsOf("").partOfKind("officeDocument") ?? "ppt/presentation.xml";
  const root = opc.read(mainPart) === undefined ? undefined : reading.readTree(mainPart);
  if (root === undefined) {
    const found = opc.partNames.filter((name) => /^ppt\/slides\/slide\d+\.xml$/i.test(name));
    if (found.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "The package has no presentation part." });
    return found.sort((a, b) => numberIn(a) - numberIn(b));
  }
  const relationships = opc.relationshipsOf(mainPart);
  return (root.child("p:sldIdLst")?.elements("p:sldId") ?? []).flatMap((entry) => {
    const relationship = relationships.byId(entry.get("r:id"));
    return relationship === undefined || relationship.isExternal ? [] : [relationship.target];
  });
}

function numberIn(partName: string): number {
  return Number(/(\d+)\.xml$/i.exec(partName)?.[1] ?? 0);
}

function readSlide(slide: SlidePart, number: number, reading: PresentationReading): Block[] {
  const isHidden = /^(?:0|false)$/.test(slide.root.get("show") ?? "1");
  if (isHidden) reading.hiddenSlides.push(number);
  countComments(slide, reading);
  const shapes = readShapes({ slide, reading });
  const titles = shapes.filter(({ isTitle }) => isTitle);
  const others = inReadingOrder(shapes.filter(({ isTitle }) => !isTitle));
  const running = readRunningText(slide, reading);
  const notes = readNotes({ slide, reading });
  const content = [...titles, ...others].flatMap(({ blocks }) => blocks);
  return [...content, ...running, ...(notes.length === 0 ? [] : [notesQuote(notes)])];
}

// Masters repeat their text on every slide: it is given where the first of them is read, or told.
function readRunningText(slide: SlidePart, reading: PresentationReading): Block[] {
  const shapes = readMasterShapes({ slide, reading });
  if (reading.context.options.headersFooters === "keep") return shapes.flatMap(({ blocks }) => [...blocks]);
  reading.masterShapeCount += shapes.length;
  return [];
}

function countComments({ relationships }: SlidePart, reading: PresentationReading): void {
  for (const { kind, target, isExternal } of relationships.all) {
    if (kind !== "comments" || isExternal) continue;
    reading.commentCount +=
      reading
        .readTree(target)
        ?.elements()
        .filter(({ name }) => /(?:^|:)cm$/.test(name)).length ?? 0;
  }
}

function tellLeftOut(reading: PresentationReading): void {
  const { commentCount, context, hiddenSlides, masterShapeCount, conversionFieldCount } = reading;
  if (masterShapeCount > 0) {
    context.warn(
      `Text that masters repeat on slides was left out (shapes: ${masterShapeCount}). Ask for it with \`headers_footers\`.`,
    );
  }
  if (conversionFieldCount > 0)
    context.warn(
      `Fields that show when or from where the document was converted were left out (${conversionFieldCount}).`,
    );
  if (commentCount > 0) context.warn(`Comments were left out (${commentCount}).`);
  if (hiddenSlides.length > 0) {
    context.warn(`Slides hidden in the show were kept: ${hiddenSlides.slice(0, 50).join(", ")}.`);
  }
}

function metadataOf(opc: OpcPackage, context: ReadContext, pageCount: number): Metadata {
  const maxDepth = context.budget.limits.maxMarkupDepth;
  return { ...readOpcProperties(opc, { maxDepth, warn: (sentence) => context.warn(sentence) }), pageCount };
}
