import { AppError } from "@attune/service-kit/app-error.ts";
import { type GrayPicture } from "../../ocr/gray-picture.ts";
import type { ReadContext, ReaderInput } from "../reader.ts";
import { type DecodedPicture, type Leptonica } from "./leptonica.ts";
import { type PictureHeader, readPictureHeader } from "./picture-header.ts";
import { setUpright } from "./set-upright.ts";
import { decodeTiffJpeg, jpegCompression, linkFirstPage } from "./tiff-jpeg.ts";
import { TiffFile, type TiffPage } from "./tiff-pages.ts";

/** The pictures of a file, one to a page. */
export interface PicturePages {
  readonly count: number;
  /** Width and height as the picture says, upright. */
  sizeOf(index: number): { readonly width: number; readonly height: number };
  /** Undefined when it cannot be decoded. @throws AppError `LIMIT_EXCEEDED` for one of too many pixels. */
  decode(index: number): GrayPicture | undefined;
}

/** @throws AppError `DOCUMENT_CORRUPT` when there is no picture in the file. */
export function openPicturePages(input: ReaderInput, leptonica: Leptonica, context: ReadContext): PicturePages {
  return input.format === "tiff" ? openTiff(input.bytes, leptonica, context) : openSingle(input, leptonica, context);
}

function openSingle({ format, bytes }: ReaderInput, leptonica: Leptonica, context: ReadContext): PicturePages {
  const header = readPictureHeader(format, bytes);
  if (header.isAnimated) context.warn("The picture is an animation, of which only the first frame was read");
  return {
    count: 1,
    sizeOf: () => upright(header),
    decode: () => {
      context.budget.assertImagePixels(header.width, header.height);
      leptonica.load(bytes);
      const decoded = leptonica.decode();
      return decoded && setUpright(toPicture(decoded, decoded.dpi), header.orientation);
    },
  };
}

/** Directories looked at; more pages than any limit allows are not counted. */
const maxDirectories = 1_000_000;

function openTiff(bytes: Uint8Array, leptonica: Leptonica, { budget }: ReadContext): PicturePages {
  const file = new TiffFile(bytes);
  const offsets = file.listDirectories(maxDirectories);
  if (offsets.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no pages." });
  let isLoaded = false;
  const decodePage = (page: TiffPage): DecodedPicture | undefined => {
    if (page.compression === jpegCompression) {
      isLoaded = false;
      const decode = (jpeg: Uint8Array) => {
        leptonica.load(jpeg);
        return decodeStrip(jpeg, page, leptonica);
      };
      return decodeTiffJpeg(bytes, page, decode);
    }
    if (!isLoaded) leptonica.load(bytes);
    isLoaded = true;
    linkFirstPage(file, page, (at, link) => leptonica.patch(at, link));
    // It sets the picture upright itself.
    return leptonica.decode();
  };
  return {
    count: offsets.length,
    sizeOf: (index) => upright(file.readPage(offsets[index] as number)),
    decode: (index) => {
      const page = file.readPage(offsets[index] as number);
      budget.assertImagePixels(page.width, page.height);
      const decoded = page.width > 0 && page.height > 0 ? decodePage(page) : undefined;
      if (decoded === undefined) return undefined;
      const picture = toPicture(decoded, page.dpi ?? decoded.dpi);
      return page.compression === jpegCompression ? setUpright(picture, page.orientation) : picture;
    },
  };
}

// A strip that claims to be larger than it can be is no strip of this page.
function decodeStrip(jpeg: Uint8Array, page: TiffPage, leptonica: Leptonica): DecodedPicture | undefined {
  const { width, height } = readPictureHeader("jpeg", jpeg);
  const isWithin =
    width <= Math.max(page.stripWidth, page.width) + 64 && height <= Math.max(page.stripHeight, page.height) + 64;
  return isWithin ? leptonica.decode() : undefined;
}

/** Resolutions below are those of screens, and say nothing of the size of letters. */
const leastPrintDpi = 100;
const screenDpi = 96;
/** Of a page of A4 or US Letter, which a picture without a resolution is taken for where it has the pixels. */
const pageInches = 11.5;

function toPicture(decoded: DecodedPicture, dpi: number | undefined): GrayPicture {
  const { width, height, pixels } = decoded;
  const guess = Math.max(screenDpi, Math.max(width, height) / pageInches);
  return { width, height, pixels, dpi: dpi !== undefined && dpi >= leastPrintDpi ? dpi : guess };
}

function upright({ width, height, orientation }: Pick<PictureHeader, "width" | "height" | "orientation">) {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
