import type { Block, ImageContent, Inline } from "../../document/document.ts";
import { type Rewrite, rewriteBlocks } from "../../document/rewrite-blocks.ts";
import type { BookFiles } from "./book-files.ts";

export interface ChapterPlace {
  /** Name of the chapter's file in the book. */
  readonly path: string;
  readonly index: number;
  readonly files: BookFiles;
  readonly wantsImages: boolean;
}

const mediaTypes: Readonly<Record<string, string>> = {
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp",
};

/** The blocks of a chapter as part of the whole book: notes of different chapters told apart, pictures by name in the book. */
export function prepareChapter(blocks: readonly Block[], place: ChapterPlace): readonly Block[] {
  const noteId = (id: string): string => `${place.index + 1}-${id}`;
  const rewrite: Rewrite = {
    block: (block) => {
      if (block.type === "footnote") return { ...block, id: noteId(block.id) };
      return block.type === "image" ? withPicture(block, place) : block;
    },
    inline: (inline): Inline => {
      if (typeof inline === "string") return inline;
      if (inline.type === "noteReference") return { ...inline, id: noteId(inline.id) };
      return inline.type === "image" ? withPicture(inline, place) : inline;
    },
  };
  return rewriteBlocks(blocks, rewrite);
}

function withPicture<TImage extends ImageContent>(image: TImage, { path, files, wantsImages }: ChapterPlace): TImage {
  const { reference } = image;
  if (reference === undefined || /^[a-z][a-z0-9+.-]*:/i.test(reference)) return image;
  const name = files.resolve(path, reference);
  const mediaType = mediaTypes[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
  const bytes = wantsImages && mediaType !== undefined ? files.read(name) : undefined;
  const data = bytes === undefined || mediaType === undefined ? undefined : { mediaType, bytes };
  return { ...image, reference: name, ...(data !== undefined && { data }) };
}
