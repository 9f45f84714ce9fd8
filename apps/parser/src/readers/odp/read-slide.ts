import type { OdfBlocks } from "../../containers/odf-blocks.ts";
import type { OdfElement } from "../../containers/odf-element.ts";
import { OpcElement } from "../../containers/opc-element.ts";
import { textOfInlines } from "../../containers/opc-inlines.ts";
import type { Block, Inline } from "../../document/document.ts";

/** Placeholders that repeat on every slide. */
const running = new Set(["header", "footer", "date-time", "page-number", "page"]);

export interface SlideOptions {
  readonly keepsRunning: boolean;
  /** Shapes of the master to read with the slide. */
  readonly repeated: readonly OdfElement[];
}

/** Title first, then the other shapes from top to bottom as the file orders them, then the speaker's notes as a quotation. */
export function readSlide(page: OdfElement, reader: OdfBlocks, { keepsRunning, repeated }: SlideOptions): Block[] {
  const shapes = page.elements().filter((shape) => isContent(shape, keepsRunning));
  const title = shapes.find((shape) => shape.get("presentation:class") === "title");
  const heading = title === undefined ? undefined : toHeading(reader.read(holderOf([title])));
  const others = shapes.filter((shape) => shape !== title || heading === undefined);
  const notes = readNotes(page.child("presentation:notes"), reader);
  return [
    ...(heading === undefined ? [] : [heading]),
    ...reader.read(holderOf([...others, ...repeated])),
    ...(notes.length === 0 ? [] : [{ type: "quote" as const, blocks: notes }]),
  ];
}

function isContent(shape: OdfElement, keepsRunning: boolean): boolean {
  if (!shape.name.startsWith("draw:") || shape.get("presentation:placeholder") === "true") return false;
  return keepsRunning || !running.has(shape.get("presentation:class") ?? "");
}

function holderOf(shapes: readonly OdfElement[]): OdfElement {
  const holder = new OpcElement("draw:page", shapes[0]?.attributes ?? emptyAttributes);
  holder.children.push(...shapes);
  return holder;
}

const emptyAttributes = { get: () => undefined } as unknown as OpcElement["attributes"];

function toHeading(blocks: readonly Block[]): Block | undefined {
  const lines = linesOf(blocks);
  if (lines === undefined) return undefined;
  const inlines = lines.flatMap((line, at): readonly Inline[] => (at > 0 ? [" ", ...line] : line));
  if (textOfInlines(inlines).trim() === "") return undefined;
  return { type: "heading", level: 1, inlines: withoutBreaks(inlines) };
}

// Titles of some programs stand in a list; those with pictures or tables are no titles.
function linesOf(blocks: readonly Block[]): (readonly Inline[])[] | undefined {
  const lines: (readonly Inline[])[] = [];
  for (const block of blocks) {
    if (block.type === "paragraph" || block.type === "heading") lines.push(block.inlines);
    else if (block.type === "list") {
      const inner = linesOf(block.items.flatMap((item) => item.blocks));
      if (inner === undefined) return undefined;
      lines.push(...inner);
    } else return undefined;
  }
  return lines;
}

function withoutBreaks(inlines: readonly Inline[]): Inline[] {
  return inlines.map((inline) => (typeof inline === "object" && inline.type === "lineBreak" ? " " : inline));
}

function readNotes(notes: OdfElement | undefined, reader: OdfBlocks): Block[] {
  const frames = (notes?.elements("draw:frame") ?? []).filter(
    (frame) => frame.get("presentation:class") === "notes" && frame.get("presentation:placeholder") !== "true",
  );
  return frames.length === 0 ? [] : reader.read(holderOf(frames));
}
