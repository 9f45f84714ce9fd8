import { expect, test } from "vitest";
import { makePictureOfText } from "@attune/testkit/make-picture-of-text.ts";
import { createPageRecogniser } from "./create-page-recogniser.ts";
import type { GrayPicture } from "./gray-picture.ts";
import { parseHocr } from "./parse-hocr.ts";

// A Windows bitmap of 24 bits, its rows from the foot.
function pictureOfText(): GrayPicture {
  const bytes = makePictureOfText();
  const [width, height] = [bytes.readInt32LE(18), bytes.readInt32LE(22)];
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels[(height - 1 - y) * width + x] = bytes[54 + (y * width + x) * 3] as number;
  }
  return { width, height, pixels, dpi: 200 };
}

const request = { picture: pictureOfText(), languages: ["eng"], timeoutMs: 60_000 };

test("without a command, Tesseract as WebAssembly reads English and Chinese, and says what it lacks", async () => {
  const recogniser = createPageRecogniser(undefined);
  expect(recogniser.isReady).toBe(false);
  expect(await recogniser.prepare(["deu"])).toMatch(
    /no OCR data for deu: install tesseract-ocr with it, .*eng, chi_sim/,
  );
  expect(await recogniser.prepare(["eng"])).toBeUndefined();
  const answer = recogniser.recognise(request);
  const words = answer.outcome === "read" ? parseHocr(answer.hocr).flatMap((line) => line.words) : [];
  expect(words.map(({ text }) => text)).toEqual(["HELLO", "HELLO"]);
  // The same picture again, with the same instance: the same answer.
  expect(recogniser.recognise(request)).toEqual(answer);
}, 60_000);

test("it stops when its time is over, and is ready again after that", async () => {
  const recogniser = createPageRecogniser({
    listLanguages: () => ({ languages: [] }),
    recognise: () => ({ outcome: "timeout" }),
  });
  await recogniser.prepare(["eng"]);
  expect(recogniser.recognise({ ...request, timeoutMs: 0 })).toEqual({ outcome: "timeout" });
  expect(recogniser.isReady).toBe(false);
  await recogniser.prepare(["eng"]);
  expect(recogniser.recognise(request)).toMatchObject({ outcome: "read" });
}, 60_000);

test("a recogniser that has all the languages is asked, one that lacks some is not", async () => {
  const asked: string[] = [];
  const remote = {
    listLanguages: () => ({ languages: ["eng", "deu"] }),
    recognise: ({ languages }: { readonly languages: readonly string[] }) => {
      asked.push(languages.join("+"));
      return { outcome: "read", hocr: "" } as const;
    },
  };
  const recogniser = createPageRecogniser(remote);
  expect(await recogniser.prepare(["eng", "deu"])).toBeUndefined();
  expect(recogniser.recognise({ ...request, languages: ["eng", "deu"] })).toEqual({ outcome: "read", hocr: "" });
  expect(await recogniser.prepare(["deu", "chi_sim"])).toMatch(/no OCR data for deu, chi_sim/);
  expect(asked).toEqual(["eng+deu"]);
});

test("a command that is there and cannot say its languages is told, whether another recogniser reads or none", async () => {
  const fault = "tesseract --list-langs ended with status 3";
  const remote = {
    listLanguages: () => ({ languages: [], fault }),
    recognise: () => ({ outcome: "timeout" }) as const,
  };
  const recogniser = createPageRecogniser(remote);

  expect(await recogniser.prepare(["deu"])).toMatch(/no OCR data for deu in this program.*ended with status 3/);
  expect(await recogniser.prepare(["eng"])).toBeUndefined();
  expect(recogniser.notice).toMatch(/could not be used \(tesseract --list-langs ended with status 3\)/);
}, 60_000);
