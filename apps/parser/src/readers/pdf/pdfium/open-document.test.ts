import { makePdf, pdfText } from "@attune/testkit/make-pdf.ts";
import { expect, test } from "vitest";
import { accessBytes } from "../../../detection/random-access.ts";
import { withDocument } from "./open-document.ts";
import { withPdfium } from "./pdfium.ts";
import { readPage } from "./read-page.ts";

const mib = 1 << 20;

test("neither the file nor the pages read before take room in the memory of the library", async () => {
  const ballast = `%${"x".repeat(mib)}\n`;
  const contents = Array.from({ length: 80 }, (_, index) => ballast + pdfText(`Page ${index + 1}`, { x: 72, y: 700 }));
  const bytes = makePdf({ pages: contents.map((content) => ({ content })) });
  const { texts, heapBytes } = await withPdfium((pdfium) =>
    withDocument(pdfium, { file: accessBytes(bytes), password: undefined }, (document) => ({
      texts: contents.map((_, index) =>
        readPage(document, index)
          ?.glyphs.map(({ text }) => text)
          .join(""),
      ),
      heapBytes: pdfium.heapBytes,
    })),
  );
  expect(texts).toEqual(contents.map((_, index) => `Page${index + 1}`));
  expect(bytes.length).toBeGreaterThan(80 * mib);
  expect(heapBytes).toBeLessThan(40 * mib);
});
