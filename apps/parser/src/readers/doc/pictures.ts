import { cleanAltText } from "../../containers/opc-alt-text.ts";
import {
  artPictureOf,
  artProperty,
  type ArtRecord,
  artRecordAt,
  artRecordsIn,
  artText,
  artType,
  readArtProperties,
} from "../../containers/office-art.ts";
import type { ImageContent } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";
import { u16, u32, u8 } from "./bytes.ts";
import type { WordFile } from "./word-file.ts";

/** A picture in the line: its header, and what follows it, up to its stated size ([MS-DOC] 2.9.190). */
export interface InlineBlock {
  readonly kind: number;
  readonly content: Buffer;
}

/** Kinds of pictures ([MS-DOC] 2.9.157): those of OfficeArt, the second with a name before it. */
const shapeKind = 0x64;
const namedShapeKind = 0x66;

export class Pictures {
  readonly #file: WordFile;
  readonly #budget: ReadContext["budget"];
  readonly #isWanted: boolean;
  #store: readonly ArtRecord[] | undefined;
  #count = 0;

  constructor(file: WordFile, { options, budget }: Pick<ReadContext, "options" | "budget">) {
    this.#file = file;
    this.#budget = budget;
    this.#isWanted = options.images === "data_uri";
  }

  /** What stands at a place of the data stream; undefined where nothing fits. */
  inlineBlock(place: number): InlineBlock | undefined {
    const { data } = this.#file;
    const size = u32(data, place);
    const headerBytes = u16(data, place + 4);
    if (headerBytes < 8 || size < headerBytes || place + size > data.length) return undefined;
    return { kind: u16(data, place + 6), content: data.subarray(place + headerBytes, place + size) };
  }

  /** A picture in the line; undefined for a shape that is none. */
  inlineImage(place: number): ImageContent | undefined {
    const block = this.inlineBlock(place);
    if (block === undefined) return undefined;
    if (block.kind !== shapeKind && block.kind !== namedShapeKind) return { alt: "" };
    const art = block.content.subarray(block.kind === namedShapeKind ? 1 + u8(block.content, 0) : 0);
    const shape = artRecordAt(art, 0);
    if (shape === undefined) return { alt: "" };
    const properties = readArtProperties(shape.body);
    const alt = artText(properties, artProperty.description);
    const picture = artRecordAt(art, shape.end);
    if (picture === undefined && !properties.has(artProperty.picture) && alt === "") return undefined;
    return this.#toImage(picture?.type === artType.picture ? embeddedIn(picture) : picture, alt);
  }

  /** The picture of this number in the store of the file, from 1. */
  storedImage(number: number, alt: string): ImageContent {
    this.#store ??= readStore(this.#file);
    const entry = this.#store[number - 1];
    if (entry === undefined) return this.#toImage(undefined, alt);
    const place = u32(entry.body, delayedAt);
    return this.#toImage(embeddedIn(entry) ?? artRecordAt(this.#file.main, place), alt);
  }

  #toImage(record: ArtRecord | undefined, text: string): ImageContent {
    const picture = artPictureOf(record);
    const alt = cleanAltText(text);
    if (picture === undefined) return { alt };
    const reference = `pictures/${++this.#count}.${picture.extension}`;
    const { shown } = picture;
    if (!this.#isWanted || shown === undefined) return { alt, reference };
    // Many shapes may show one picture.
    this.#budget.takeExpandedBytes(shown.bytes.length);
    return { alt, reference, data: shown };
  }
}

/** Entry of the store ([MS-ODRAW] 2.2.32): its own bytes, then a name, then perhaps the picture itself. */
const entryBytes = 36;
const delayedAt = 28;
const nameLengthAt = 33;

function embeddedIn({ body }: ArtRecord): ArtRecord | undefined {
  return artRecordAt(body, entryBytes + u8(body, nameLengthAt));
}

function readStore(file: WordFile): ArtRecord[] {
  const group = artRecordAt(file.find("drawings") ?? Buffer.alloc(0), 0);
  for (const record of artRecordsIn(group?.body ?? Buffer.alloc(0))) {
    if (record.type === artType.pictureStore) return [...artRecordsIn(record.body)];
  }
  return [];
}
