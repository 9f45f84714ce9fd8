import type { Block, ImageContent, Inline } from "../document.ts";
import { rewriteBlocks } from "../rewrite-blocks.ts";
import { isSafeTarget } from "./is-safe-target.ts";
import type { RenderOptions } from "./render-options.ts";

/**
 * The blocks with only what the options ask for: footnotes, formulas, links and images kept, changed to text or left out,
 * links to addresses that are not safe turned to their text, pictures without their bytes unless those are wanted. Parts
 * that stay as they are, are shared with the blocks given.
 */
export function selectContent(blocks: readonly Block[], options: RenderOptions): readonly Block[] {
  return rewriteBlocks(blocks, {
    block: (block) => selectBlock(block, options),
    inline: (inline) => selectInline(inline, options),
  });
}

function selectBlock(block: Block, options: RenderOptions): Block | readonly Block[] {
  switch (block.type) {
    case "footnote":
      return options.footnotes === "drop" ? [] : block;
    case "formula":
      if (options.formulas === "drop") return [];
      return options.formulas === "latex" ? block : { type: "paragraph", inlines: [block.text] };
    case "image":
      if (options.images !== "none") return withWantedBytes(block, options);
      return block.caption === undefined ? [] : { type: "paragraph", inlines: block.caption };
    default:
      return block;
  }
}

function selectInline(inline: Inline, options: RenderOptions): Inline | readonly Inline[] {
  if (typeof inline === "string") return inline;
  switch (inline.type) {
    case "link":
      return options.links === "text" || !isSafeTarget(inline.target) ? inline.inlines : inline;
    case "formula":
      return options.formulas === "latex" ? inline : options.formulas === "text" ? inline.text : [];
    case "image":
      return options.images === "none" ? [] : withWantedBytes(inline, options);
    case "noteReference":
      return options.footnotes === "drop" ? [] : inline;
    default:
      return inline;
  }
}

// A reference that would itself be a script or data is no reference.
function withWantedBytes<TImage extends ImageContent>(image: TImage, { images }: RenderOptions): TImage {
  const isSafe = image.reference === undefined || isSafeTarget(image.reference);
  const hasUnwanted = image.data !== undefined && images !== "data_uri";
  if (isSafe && !hasUnwanted) return image;
  const { data, reference, ...rest } = image;
  return { ...rest, ...(isSafe && { reference }), ...(!hasUnwanted && { data }) } as TImage;
}
