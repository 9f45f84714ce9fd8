import type { GrayPicture } from "../../ocr/gray-picture.ts";
import type { PageContent } from "../pdf/page-content.ts";
import { type PageSource, Reading } from "../pdf/reading.ts";
import type { ReadDocument } from "../reader.ts";
import { openLeptonica } from "./leptonica.ts";
import { openPicturePages, type PicturePages } from "./picture-pages.ts";

/** A picture inside another file that is smaller than this, in pixels, is a logo or a button. */
const leastInside = { width: 64, height: 20, area: 8000 };
const pointsPerInch = 72;

/** Reads pictures of text: PNG, JPEG, TIFF of many pages, BMP, GIF, WebP. */
export const readImage: ReadDocument = async (input, context) => {
  const leptonica = await openLeptonica();
  try {
    const pictures = openPicturePages(input, leptonica, context);
    if (context.depth > 0 && isOrnament(pictures)) return { metadata: {}, blocks: [] };
    const reading = new Reading(context, true);
    const pages = toPageSource(pictures);
    while (reading.read(pages) !== "done") await reading.prepareOcr();
    return reading.toDocument();
  } finally {
    leptonica.close();
  }
};

function isOrnament(pictures: PicturePages): boolean {
  const { width, height } = pictures.sizeOf(0);
  return (
    pictures.count === 1 &&
    (width < leastInside.width || height < leastInside.height || width * height < leastInside.area)
  );
}

// Decoded as the page is read, so that a damaged one is told from one without text.
function toPageSource(pictures: PicturePages): PageSource {
  let decoded: GrayPicture | undefined;
  return {
    pageCount: pictures.count,
    readMetadata: () => ({}),
    readOutline: () => [],
    readPage: (index) => {
      decoded = pictures.decode(index);
      return decoded && pageOf(decoded, index + 1);
    },
    renderPage: () => decoded,
  };
}

function pageOf({ width, height, dpi }: GrayPicture, number: number): PageContent {
  const [right, bottom] = [(width * pointsPerInch) / dpi, (height * pointsPerInch) / dpi];
  return {
    number,
    width: right,
    height: bottom,
    glyphs: [],
    rules: [],
    backgrounds: [],
    images: [{ left: 0, top: 0, right, bottom }],
    links: [],
    hiddenGlyphCount: 0,
    isCut: false,
  };
}
