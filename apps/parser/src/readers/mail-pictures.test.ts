import { AppError } from "@attune/service-kit/app-error.ts";
import { expect, test } from "vitest";
import type { Block } from "../document/document.ts";
import { type MailPicture, placePictures } from "./mail-pictures.ts";

const picture = (contentId: string, name: string): MailPicture => ({
  contentId,
  name,
  mediaType: "image/png",
  decode: () => Uint8Array.of(1, 2, 3),
});
const warnings: string[] = [];
const place = (
  blocks: readonly Block[],
  pictures: readonly MailPicture[],
  images: "placeholder" | "data_uri" = "placeholder",
) => placePictures(blocks, pictures, { options: { images }, warn: (text) => warnings.push(text) });

test("a picture that the text shows by its Content-ID has the name of its file", () => {
  const blocks: Block[] = [{ type: "paragraph", inlines: ["See ", { type: "image", alt: "logo", reference: "a@1" }] }];
  expect(place(blocks, [picture("a@1", "logo.png")])).toEqual([
    { type: "paragraph", inlines: ["See ", { type: "image", alt: "logo", reference: "logo.png" }] },
  ]);
});

test("a picture may be shown by the name of its file", () => {
  const blocks: Block[] = [{ type: "image", alt: "", reference: "1.jpg" }];
  expect(place(blocks, [picture("", "1.jpg"), picture("", "2.jpg")])).toEqual([
    { type: "image", alt: "", reference: "1.jpg" },
    { type: "image", alt: "", reference: "2.jpg" },
  ]);
});

test("an encoded Content-ID is the same, and a block is a picture as well", () => {
  const blocks: Block[] = [{ type: "image", alt: "", reference: "a%40b" }];
  expect(place(blocks, [picture("a@b", "logo.png")])).toEqual([{ type: "image", alt: "", reference: "logo.png" }]);
});

test("a picture that the text does not show stands after it", () => {
  const blocks: Block[] = [{ type: "paragraph", inlines: ["Plain"] }];
  expect(place(blocks, [picture("a@1", "C:\\mail\\logo.png")])).toEqual([
    ...blocks,
    { type: "image", alt: "", reference: "logo.png" },
  ]);
});

test("a picture without a name is known by its Content-ID, and its bytes come where they are asked for", () => {
  const blocks: Block[] = [{ type: "image", alt: "", reference: "a@1" }];
  const data = { mediaType: "image/png", bytes: Uint8Array.of(1, 2, 3) };
  expect(place(blocks, [picture("a@1", "")], "data_uri")).toEqual([{ type: "image", alt: "", reference: "a@1", data }]);
});

test("a picture that cannot be decoded is named all the same, and told", () => {
  const broken: MailPicture = {
    ...picture("a@1", "logo.png"),
    decode: () => {
      throw new AppError("DOCUMENT_CORRUPT");
    },
  };
  expect(place([], [broken], "data_uri")).toEqual([{ type: "image", alt: "", reference: "logo.png" }]);
  expect(warnings).toEqual(["The picture “logo.png” was not read: DOCUMENT_CORRUPT."]);
});

test("pictures of elsewhere stay as they are", () => {
  const blocks: Block[] = [{ type: "image", alt: "", reference: "https://example.org/a%zz.png" }];
  expect(place(blocks, [])).toBe(blocks);
});
