import { accessBytes } from "../../detection/random-access.ts";
import type { ReadDocument } from "../reader.ts";
import { maxOcrPixels } from "../../ocr/gray-picture.ts";
import { type OpenDocument, withDocument } from "./pdfium/open-document.ts";
import { withPdfium } from "./pdfium/pdfium.ts";
import { readMetadata } from "./pdfium/read-metadata.ts";
import { readOutline } from "./pdfium/read-outline.ts";
import { readPage } from "./pdfium/read-page.ts";
import { renderPage } from "./pdfium/render-page.ts";
import { type PageSource, Reading } from "./reading.ts";

/** Pages that may make the PDF library fail before the document is given up. */
const maxFaults = 3;

/** Reads a PDF file from its text layer, and from its pictures where that does not serve. */
export const readPdf: ReadDocument = async (input, context) => {
  const file = input.file ?? accessBytes(input.bytes);
  const { password } = context.options;
  const reading = new Reading(context);
  const readOn = () =>
    withPdfium((pdfium) =>
      withDocument(pdfium, { file, password }, (document) => reading.read(toPageSource(document))),
    );
  for (let faults = 0; ;) {
    try {
      if ((await readOn()) === "done") return reading.toDocument();
      await reading.prepareOcr();
    } catch (error) {
      // A page that makes the library fail is left out, and the rest read with a fresh instance of it.
      if (faults++ >= maxFaults || !reading.leaveOutFaultyPage()) throw error;
    }
  }
};

/** Clean letters of ten points are made out as well at this scale as at a larger one. */
const rendering = { dpi: 200, maxPixels: maxOcrPixels };

function toPageSource(document: OpenDocument): PageSource {
  return {
    pageCount: document.pageCount,
    readMetadata: () => readMetadata(document),
    readOutline: () => readOutline(document),
    readPage: (index) => readPage(document, index),
    renderPage: (index) => renderPage(document, index, rendering),
  };
}
