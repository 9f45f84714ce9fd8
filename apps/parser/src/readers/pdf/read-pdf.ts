import type { Document } from "../../document/document.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { choosePages } from "./choose-pages.ts";
import { withDocument, type OpenDocument } from "./pdfium/open-document.ts";
import { withPdfium } from "./pdfium/pdfium.ts";
import { readPage } from "./pdfium/read-page.ts";
import { Reading } from "./reading.ts";

/** Reads a PDF file from its text layer. */
export const readPdf: ReadDocument = ({ bytes }, context) =>
  withPdfium((pdfium) =>
    withDocument(pdfium, { bytes, password: context.options.password }, (document) => readPages(document, context)),
  );

function readPages(document: OpenDocument, context: ReadContext): Document {
  const numbers = choosePages(document.pageCount, context);
  const reading = new Reading(context);
  for (const [index, number] of numbers.entries()) {
    if (context.budget.isTimeSpent || reading.isHopeless) {
      reading.leaveOut(numbers.slice(index));
      break;
    }
    reading.add(number, readPage(document, number - 1));
  }
  return reading.toDocument(document);
}
