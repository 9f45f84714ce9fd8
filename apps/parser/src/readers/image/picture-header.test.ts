import { bmpOf, gifOf, jpegOf, pngChunk, pngOf, webpOf } from "@attune/testkit/hostile/image-headers.ts";
import { describe, expect, test } from "vitest";
import { makeTiff } from "./make-tiff.fixture.ts";
import { readPictureHeader } from "./picture-header.ts";

const exif = (orientation: number) => makeTiff([{ width: 1, height: 1, orientation }]);

/** A JPEG file whose Exif data, and fill bytes, stand before its frame. */
function jpegWithExif(orientation: number): Buffer {
  const data = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif(orientation)]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  const jpeg = jpegOf(40, 1);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff, 0xe1]), length, data, jpeg.subarray(2)]);
}

function webpWithExif(orientation: number): Buffer {
  const canvas = Buffer.from("VP8X\x0a\0\0\0\x08\0\0\0\x3f\0\0\x1f\0\0", "latin1");
  const size = Buffer.alloc(4);
  size.writeUInt32LE(exif(orientation).length);
  return Buffer.concat([
    Buffer.from("RIFF\0\0\0\0WEBP", "latin1"),
    canvas,
    Buffer.from("EXIF"),
    size,
    exif(orientation),
  ]);
}

describe("readPictureHeader", () => {
  test.each([
    ["png", pngOf(70, 30), { width: 70, height: 30, orientation: 1 }],
    ["png", pngOf(70, 30, [pngChunk("eXIf", exif(6))]), { width: 70, height: 30, orientation: 6 }],
    ["jpeg", jpegOf(40, 1), { width: 40, height: 40, orientation: 1 }],
    ["jpeg", jpegWithExif(8), { width: 40, height: 40, orientation: 8 }],
    ["jpeg", jpegWithExif(200), { orientation: 1 }],
    ["gif", gifOf(50, 1), { width: 50, height: 50, isAnimated: false }],
    ["gif", gifOf(50, 9), { width: 50, height: 50, isAnimated: true }],
    ["bmp", bmpOf(60), { width: 60, height: 60 }],
    ["webp", webpOf(), { width: 16_384, height: 16_384 }],
    ["webp", webpWithExif(3), { width: 64, height: 32, orientation: 3, isAnimated: false }],
  ] as const)("%s", (format, bytes, expected) => {
    expect(readPictureHeader(format, bytes)).toMatchObject(expected);
  });

  test("a first frame that is larger than the screen counts", () => {
    const gif = gifOf(5, 1);
    gif.writeUInt16LE(60_000, gif.indexOf(0x2c, 13) + 5);
    expect(readPictureHeader("gif", gif).width).toBe(60_000);
  });

  test.each(["png", "jpeg", "gif", "bmp", "webp"])("%s without a size is damaged", (format) => {
    expect(() => readPictureHeader(format, Buffer.alloc(64))).toThrow(/DOCUMENT_CORRUPT/);
    expect(() => readPictureHeader(format, Buffer.alloc(0))).toThrow(/DOCUMENT_CORRUPT/);
  });

  test.each([
    ["png", pngOf(9, 9, [pngChunk("eXIf", exif(6))])],
    ["jpeg", jpegWithExif(6)],
    ["gif", gifOf(9, 3)],
    ["bmp", bmpOf(9)],
    ["webp", webpWithExif(6)],
  ] as const)("%s: wherever it ends, it has a size or is damaged", (format, bytes) => {
    const outcomes = Array.from({ length: bytes.length }, (_, end) => outcomeOf(format, bytes.subarray(0, end)));
    expect(outcomes.filter((outcome) => outcome !== "DOCUMENT_CORRUPT" && outcome !== "a size")).toEqual([]);
  });
});

function outcomeOf(format: string, bytes: Uint8Array): unknown {
  try {
    return readPictureHeader(format, bytes).width > 0 && "a size";
  } catch (error) {
    return (error as { reason?: unknown }).reason ?? error;
  }
}
