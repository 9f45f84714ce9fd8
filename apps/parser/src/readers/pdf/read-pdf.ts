import type { ReadDocument } from "../reader.ts";
import { withDocument } from "./pdfium/open-document.ts";
import { withPdfium } from "./pdfium/pdfium.ts";
import { Reading } from "./reading.ts";

/** Pages that may make the PDF library fail before the document is given up. */
const maxFaults = 3;

/** Reads a PDF file from its text layer. */
export const readPdf: ReadDocument = async ({ bytes }, context) => {
  const { password } = context.options;
  const reading = new Reading(context);
  for (let faults = 0; ; faults++) {
    try {
      await withPdfium((pdfium) => withDocument(pdfium, { bytes, password }, (document) => reading.read(document)));
      return reading.toDocument();
    } catch (error) {
      // A page that makes the library fail is left out, and the rest read with a fresh instance of it.
      if (faults >= maxFaults || !reading.leaveOutFaultyPage()) throw error;
    }
  }
};
