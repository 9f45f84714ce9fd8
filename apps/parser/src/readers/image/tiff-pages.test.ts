import { describe, expect, test } from "vitest";
import { makeTiff } from "./make-tiff.fixture.ts";
import { TiffFile } from "./tiff-pages.ts";

describe("TiffFile", () => {
  test.each([
    { isBigEndian: false, isBig: false },
    { isBigEndian: true, isBig: false },
    { isBigEndian: false, isBig: true },
    { isBigEndian: true, isBig: true },
  ])("lists the pages of $isBigEndian $isBig files, and reads their tags", (kind) => {
    const bytes = makeTiff(
      [
        { width: 300, height: 200, orientation: 6, dpi: 200 },
        { width: 30, height: 20 },
      ],
      kind,
    );
    const file = new TiffFile(bytes);
    const pages = file.listDirectories(10).map((offset) => file.readPage(offset));
    expect(pages).toMatchObject([
      { width: 300, height: 200, orientation: 6, dpi: 200, compression: 1, strips: [{ sizeBytes: 300 * 200 }] },
      { width: 30, height: 20, orientation: 1, dpi: undefined },
    ]);
  });

  test("of ten thousand pages it lists as many as are wanted", () => {
    const file = new TiffFile(makeTiff(Array.from({ length: 10_000 }, () => ({ width: 1, height: 1 }))));
    expect(file.listDirectories(20_000)).toHaveLength(10_000);
    expect(file.listDirectories(7)).toHaveLength(7);
  });

  test("directories that go round are listed once", () => {
    const bytes = makeTiff(
      [
        { width: 1, height: 1 },
        { width: 2, height: 1 },
      ],
      { loopsTo: 0 },
    );
    expect(new TiffFile(bytes).listDirectories(100)).toHaveLength(2);
  });

  test("whatever the bytes say, nothing outside of the file is read", () => {
    const bytes = makeTiff([{ width: 9, height: 9, dpi: 300 }]);
    for (let at = 4; at < bytes.length; at++) {
      for (const value of [0, 0x7f, 0xff]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        const file = new TiffFile(damaged);
        for (const offset of file.listDirectories(5)) {
          const { strips } = file.readPage(offset);
          expect(strips.every((strip) => strip.offset + strip.sizeBytes <= damaged.length)).toBe(true);
        }
      }
    }
  });
});
