import { artPictureOf, artRecordAt } from "../../containers/office-art.ts";
import type { Block } from "../../document/document.ts";
import type { ReadOptions } from "../reader.ts";
import type { PresentationFile } from "./open-presentation.ts";
import { findPath, numberAt, recordsIn, recordType } from "./records.ts";

/** Where an entry of the store says where its picture lies (`OfficeArtFBSE`, [MS-ODRAW] 2.2.32). */
const offsetAt = 28;

/** The pictures of a presentation, by their positions in its store (`OfficeArtBStoreContainer`, [MS-ODRAW] 2.2.20). */
export class Pictures {
  readonly #offsets: readonly (number | undefined)[];
  readonly #stream: Buffer;
  readonly #isWanted: boolean;

  constructor({ document, streams }: PresentationFile, { images }: ReadOptions) {
    const { drawingGroup, artDrawingGroup, artPictures, artPicture } = recordType;
    const store = findPath(document, drawingGroup, artDrawingGroup, artPictures);
    const entries = store === undefined ? [] : [...recordsIn(store)].filter(({ type }) => type === artPicture);
    this.#offsets = entries.map(({ body }) => numberAt(body, offsetAt));
    this.#stream = streams.read("Pictures") ?? Buffer.alloc(0);
    this.#isWanted = images === "data_uri";
  }

  /** The picture of this number, counted from one. */
  imageOf(number: number, alt: string): Block {
    const text = alt.replaceAll(/\s+/g, " ").trim();
    const picture = artPictureOf(artRecordAt(this.#stream, this.#offsets[number - 1] ?? -1));
    if (picture === undefined) return { type: "image", alt: text };
    const reference = `pictures/${number}.${picture.extension}`;
    const data = this.#isWanted ? picture.shown : undefined;
    return { type: "image", alt: text, reference, ...(data !== undefined && { data }) };
  }
}
