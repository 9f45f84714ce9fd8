import { findInk } from "./ink.ts";
import { findSlant, type Slant } from "./find-slant.ts";
import { type GrayPicture, maxOcrPixels } from "./gray-picture.ts";
import { measureStroke } from "./measure-stroke.ts";
import { type OcrLine, parseHocr } from "./parse-hocr.ts";
import type { PageRecogniser } from "./recogniser.ts";
import { scalePicture } from "./scale-picture.ts";
import { splitLine } from "./split-line.ts";
import { straightenPicture } from "./straighten-picture.ts";
import { type QuarterTurn, turnPicture } from "./turn-picture.ts";

/** What was read of a picture, in the pixels of the picture as it was turned and scaled for reading. */
export interface PictureText {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  /** Quarter turns clockwise that set it upright. */
  readonly turn: QuarterTurn;
  /** Degrees by which it was straightened. */
  readonly skew: number;
  readonly lines: readonly OcrLine[];
  /** From 0 to 100, by letters; 0 without any. */
  readonly confidence: number;
  /** Lines left out because nothing could be made out of them. */
  readonly illegibleLines: number;
}

export type PictureReading =
  | { readonly outcome: "read"; readonly text: PictureText }
  | { readonly outcome: "timeout" }
  | { readonly outcome: "failed"; readonly detail: string };

export interface ReadPicture {
  readonly recogniser: PageRecogniser;
  readonly languages: readonly string[];
  /** Milliseconds that are left. */
  readonly leftMs: () => number;
}

/** Text this sure, by letters, is read the right way up. */
const sureConfidence = 75;
/** Below this, lines of the other direction are tried as well. */
const doubtfulConfidence = 55;
/** So much clearer than the other direction, and lines surely run this way. */
const sureDirection = 2;
/** Letters of lines smaller than this, in pixels, are enlarged. */
const smallSize = 19;
const goodSize = 32;
const maxEnlargement = 3;

/**
 * Reads a picture, whichever way up it is: straightened, turned as its lines run, and turned again where hardly anything can be made
 * out. Orientation by the letters themselves, as Tesseract detects it, is wrong on short pages.
 */
export function readPicture(given: GrayPicture, work: ReadPicture): PictureReading {
  const picture = withinBounds(given);
  const ink = findInk(picture);
  if (ink.points.length === 0) return { outcome: "read", text: emptyText(picture) };
  const slant = findSlant(ink);
  let best: PictureText | undefined;
  for (const turn of turnsToTry(slant)) {
    if (best !== undefined && isSettled(best, turn, slant)) break;
    const reading = readTurned(picture, { turn, degrees: isAlong(turn, slant) ? slant.degrees : 0 }, work);
    // What has been read stands, whatever comes of looking at it from the other side.
    if (reading.outcome !== "read") return best === undefined ? reading : { outcome: "read", text: best };
    if (best === undefined || sureLetters(reading.text) > sureLetters(best)) best = reading.text;
  }
  return { outcome: "read", text: enlarged(picture, best ?? emptyText(picture), work) };
}

function withinBounds(picture: GrayPicture): GrayPicture {
  const pixels = picture.width * picture.height;
  return pixels <= maxOcrPixels ? picture : scalePicture(picture, Math.sqrt(maxOcrPixels / pixels));
}

function turnsToTry({ isSideways }: Slant): readonly QuarterTurn[] {
  return isSideways ? [1, 3, 0, 2] : [0, 2, 1, 3];
}

const isAlong = (turn: QuarterTurn, { isSideways }: Slant): boolean => (turn % 2 === 1) === isSideways;

// The two turns along the lines differ by confidence; those across them are a last resort.
function isSettled(best: PictureText, next: QuarterTurn, slant: Slant): boolean {
  if (best.confidence >= sureConfidence) return true;
  return !isAlong(next, slant) && (slant.certainty >= sureDirection || best.confidence >= doubtfulConfidence);
}

function readTurned(
  picture: GrayPicture,
  { turn, degrees }: { readonly turn: QuarterTurn; readonly degrees: number },
  work: ReadPicture,
): PictureReading {
  const turned = turnPicture(picture, turn);
  const straight = degrees === 0 ? turned : straightenPicture(turned, degrees);
  return recognise(straight, { turn, skew: degrees }, work);
}

function recognise(
  picture: GrayPicture,
  way: Pick<PictureText, "turn" | "skew">,
  { recogniser, languages, leftMs }: ReadPicture,
): PictureReading {
  const timeoutMs = Math.floor(leftMs());
  if (timeoutMs <= 0) return { outcome: "timeout" };
  const answer = recogniser.recognise({ picture, languages, timeoutMs });
  if (answer.outcome !== "read") return answer;
  const all = parseHocr(answer.hocr);
  const legible = all.filter(isLegible);
  const lines = legible.flatMap(splitLine).map((line) => ({ ...line, stroke: measureStroke(picture, line) }));
  const { width, height, dpi } = picture;
  const confidence = confidenceOf(lines);
  return {
    outcome: "read",
    text: { width, height, dpi, ...way, lines, confidence, illegibleLines: all.length - legible.length },
  };
}

// Small print and pictures of screens: letters of a few pixels are made out far better when they are larger.
function enlarged(picture: GrayPicture, text: PictureText, work: ReadPicture): PictureText {
  const size = medianSize(text.lines);
  if (size === undefined || size >= smallSize) return text;
  const room = Math.sqrt(maxOcrPixels / (picture.width * picture.height));
  const factor = Math.min(goodSize / size, maxEnlargement, room);
  if (factor < 1.3) return text;
  const reading = readTurned(scalePicture(picture, factor), { turn: text.turn, degrees: text.skew }, work);
  return reading.outcome === "read" && sureLetters(reading.text) >= sureLetters(text) ? reading.text : text;
}

function medianSize(lines: readonly OcrLine[]): number | undefined {
  const sizes = lines.map(({ size }) => size).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)];
}

/** Textures and drawings are taken for lines of letters, none of which is sure. */
const legibleConfidence = 30;

function isLegible(line: OcrLine): boolean {
  return confidenceOf([line]) >= legibleConfidence;
}

function confidenceOf(lines: readonly OcrLine[]): number {
  let [sum, letters] = [0, 0];
  for (const { words } of lines) {
    for (const { text, confidence } of words) {
      sum += confidence * text.length;
      letters += text.length;
    }
  }
  return letters === 0 ? 0 : sum / letters;
}

function sureLetters({ lines }: PictureText): number {
  let letters = 0;
  for (const { words } of lines) {
    for (const { text, confidence } of words) if (confidence >= sureConfidence) letters += text.length;
  }
  return letters;
}

function emptyText({ width, height, dpi }: GrayPicture): PictureText {
  return { width, height, dpi, turn: 0, skew: 0, lines: [], confidence: 0, illegibleLines: 0 };
}
