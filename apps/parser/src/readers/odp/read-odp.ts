import { AppError } from "@attune/service-kit/app-error.ts";
import { OdfBlocks } from "../../containers/odf-blocks.ts";
import type { OdfContext } from "../../containers/odf-context.ts";
import { parseOdfElement } from "../../containers/odf-element.ts";
import { OdfNotes } from "../../containers/odf-notes.ts";
import { openOdf } from "../../containers/odf-package.ts";
import { OdfStyles } from "../../containers/odf-styles.ts";
import type { Block } from "../../document/document.ts";
import { mathmlToLatex } from "../../math/mathml-to-latex.ts";
import type { ReadDocument } from "../reader.ts";
import { MasterShapes } from "./master-shapes.ts";
import { readSlide } from "./read-slide.ts";
import { selectSlides } from "./select-slides.ts";

/** Reads an OpenDocument presentation, slide by slide. */
export const readOdp: ReadDocument = (input, context) => {
  const { budget, options } = context;
  const warn = (sentence: string): void => context.warn(sentence);
  const opened = openOdf(input.bytes, { budget, password: options.password, warn });
  const content = parseOdfElement(opened.contentXml, budget.limits.maxMarkupDepth);
  const body =
    content.child("office:body")?.child("office:presentation") ?? content.child("office:body")?.child("office:drawing");
  if (body === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no presentation body." });
  const styles = new OdfStyles([opened.styles, content]);
  const notes = new OdfNotes();
  const odf: OdfContext = {
    package: opened,
    styles,
    notes,
    budget,
    images: options.images,
    renderMath: mathmlToLatex,
    warn,
  };
  const reader = new OdfBlocks(odf, 1);
  const pages = body.elements("draw:page");
  const blocks: Block[] = [];
  const masters = new MasterShapes([opened.styles, content]);
  const keepsRunning = options.headersFooters === "keep";
  let masterShapeCount = 0;
  for (const { page, number } of selectSlides(pages, { styles, context })) {
    if (budget.isTimeSpent && blocks.length > 0) {
      warn(`Reading took too long: slides from ${number} on were left out.`);
      break;
    }
    const source = { page: number };
    if (page.child("office:annotation") !== undefined) warn("Comments were left out.");
    const repeated = masters.take(page);
    masterShapeCount += repeated.length;
    const slide = readSlide(page, reader, { keepsRunning, repeated: keepsRunning ? repeated : [] });
    blocks.push({ type: "pageBreak", number, source }, ...slide.map((block) => ({ ...block, source })));
  }
  if (masterShapeCount > 0 && !keepsRunning) {
    warn(
      `Text that masters repeat on slides was left out (shapes: ${masterShapeCount}). Ask for it with \`headers_footers\`.`,
    );
  }
  return { metadata: { ...opened.metadata, pageCount: pages.length }, blocks: [...blocks, ...notes.footnotes] };
};
