import type { GrayPicture } from "../../ocr/gray-picture.ts";
import { mirrorPicture, type QuarterTurn, turnPicture } from "../../ocr/turn-picture.ts";

/** Exif 2.32, 4.6.5.1: which side of the picture is the top, and whether it is mirrored. */
const orientations: readonly { readonly turn: QuarterTurn; readonly isMirrored: boolean }[] = [
  { turn: 0, isMirrored: false },
  { turn: 0, isMirrored: true },
  { turn: 2, isMirrored: false },
  { turn: 2, isMirrored: true },
  { turn: 3, isMirrored: true },
  { turn: 1, isMirrored: false },
  { turn: 1, isMirrored: true },
  { turn: 3, isMirrored: false },
];

/** The picture as it is to be seen, by its orientation from 1 to 8. */
export function setUpright(picture: GrayPicture, orientation: number): GrayPicture {
  const { turn, isMirrored } = orientations[orientation - 1] ?? { turn: 0, isMirrored: false };
  return turnPicture(isMirrored ? mirrorPicture(picture) : picture, turn);
}
