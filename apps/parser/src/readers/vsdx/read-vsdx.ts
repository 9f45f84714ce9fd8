import { AppError } from "@attune/service-kit/app-error.ts";
import type { OpcElement } from "../../containers/opc-element.ts";
import { openOpcPackage } from "../../containers/opc-package.ts";
import { readOpcProperties } from "../../containers/opc-properties.ts";
import type { Block } from "../../document/document.ts";
import { chooseSlides } from "../choose-slides.ts";
import type { ReadDocument } from "../reader.ts";
import { inReadingOrder } from "../reading-order.ts";
import { DrawingReading } from "./drawing-reading.ts";
import { readShapes } from "./read-shapes.ts";

/** Visio drawings, templates and stencils ([MS-VSDX]). */
export const readVsdx: ReadDocument = (input, context) => {
  const { budget } = context;
  const warn = (sentence: string): void => context.warn(sentence);
  const opc = openOpcPackage({ bytes: input.bytes, budget, warn });
  const reading = new DrawingReading(opc, context);
  const pages = listPages(reading);
  const blocks: Block[] = [];
  for (const number of chooseSlides(pages.length, context, "drawing")) {
    const page = pages[number - 1];
    if (page === undefined) continue;
    if (budget.isTimeSpent && blocks.length > 0) {
      warn(`Reading took longer than allowed: the pages from ${number} on were left out.`);
      break;
    }
    blocks.push({ type: "pageBreak", number });
    for (const block of readPage(page, reading)) blocks.push(block);
  }
  reading.tellLosses();
  const metadata = readOpcProperties(opc, { maxDepth: budget.limits.maxMarkupDepth, warn });
  return { metadata: { ...metadata, pageCount: pages.length }, blocks };
};

interface DrawingPage {
  readonly name: string;
  readonly partName: string;
}

// Pages that lie behind others repeat on them what firms put on every page: they are running text.
function listPages(reading: DrawingReading): DrawingPage[] {
  const listed = reading.listParts("visio/pages/pages.xml", "Page");
  const isBehind = ({ element }: { element: OpcElement }): boolean =>
    /^(?:1|true)$/i.test(element.get("Background") ?? "");
  const shown = listed.filter((page) => !isBehind(page));
  const keepsRunning = reading.context.options.headersFooters === "keep";
  if (!keepsRunning) reading.backgroundPageCount = listed.length - shown.length;
  const pages = (keepsRunning ? [...shown, ...listed.filter(isBehind)] : shown).map(toPage);
  if (pages.length > 0) return pages;
  // Stencils have no pages, only masters.
  const masters = reading.listParts("visio/masters/masters.xml", "Master").map(toPage);
  if (masters.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "The drawing has no pages." });
  return masters;
}

function toPage({ element, partName }: { element: OpcElement; partName: string }): DrawingPage {
  return { name: (element.get("Name") ?? element.get("NameU") ?? "").trim(), partName };
}

/** Names that Visio gives, in the language of its user: a word and a number. */
const givenName = /^\p{L}+[- ]?\d+$/u;

function readPage({ name, partName }: DrawingPage, reading: DrawingReading): Block[] {
  const root = reading.readTree(partName);
  const shapes = root === undefined ? [] : readShapes(root, { reading, partName });
  const heading: Block[] = name === "" || givenName.test(name) ? [] : [{ type: "heading", level: 1, inlines: [name] }];
  return [...heading, ...inReadingOrder(shapes).flatMap(({ blocks }) => [...blocks])];
}
