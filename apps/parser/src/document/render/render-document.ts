import type { Block, Document } from "../document.ts";
import type { BlockStream } from "./block-stream.ts";
import { renderHtml } from "./html/render-html.ts";
import { renderJson } from "./json/render-json.ts";
import { renderMarkdown } from "./markdown/render-markdown.ts";
import type { RenderOptions } from "./render-options.ts";
import { selectContent } from "./select-content.ts";
import { renderText } from "./text/render-text.ts";

/** Writes a document out as text in the format asked for; ends with one newline unless the text is empty. */
export function renderDocument(document: Document, options: RenderOptions): string {
  return [...renderPieces(document, options)].join("");
}

/** What `renderDocument` gives, in pieces of a block or less, made as they are taken; none is empty or parts a code point. */
export function* renderPieces({ metadata, blocks }: Document, options: RenderOptions): Generator<string> {
  let space = "";
  let isEmpty = true;
  for (const piece of renderSelected({ metadata, blocks: selectInLots(blocks, options) }, options)) {
    const text = piece.trimEnd();
    if (text === "") {
      space += piece;
      continue;
    }
    if (space !== "") yield space;
    yield text;
    space = piece.slice(text.length);
    isEmpty = false;
  }
  if (!isEmpty) yield "\n";
}

/** Blocks selected together, so that changed ones are not all held beside those they come from. */
const lotSize = 256;

function* selectInLots(blocks: readonly Block[], options: RenderOptions): Generator<Block> {
  for (let at = 0; at < blocks.length; at += lotSize) yield* selectContent(blocks.slice(at, at + lotSize), options);
}

function renderSelected(document: BlockStream, options: RenderOptions): Iterable<string> {
  switch (options.outputFormat) {
    case "markdown":
      return renderMarkdown(document, options);
    case "text":
      return renderText(document, options);
    case "html":
      return renderHtml(document, options);
    case "json":
    default:
      return renderJson(document);
  }
}
