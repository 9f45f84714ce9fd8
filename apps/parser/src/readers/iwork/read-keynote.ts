import { AppError } from "@attune/service-kit/app-error.ts";
import { toInlines } from "../../containers/opc-inlines.ts";
import type { Block, Inline } from "../../document/document.ts";
import { chooseSlides } from "../choose-slides.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { notesQuote, titleOf } from "../slide-lines.ts";
import { findReferences, messageIn, referencesOf } from "./find-references.ts";
import { openIwork } from "./open-iwork.ts";
import { readFields } from "./read-fields.ts";
import type { IworkObject } from "./read-objects.ts";

/** Types of objects, and fields of theirs, as Keynote writes them since 2013. Apple documents none of them. */
const types = { show: 2, text: 2001, oldText: 2005, image: 3005, chart: 5021, table: 6000 } as const;
const showFields = { slideTree: 3 } as const;
const treeFields = { nodes: 2 } as const;
const nodeFields = { slide: 2 } as const;
const slideFields = { title: 5, body: 6, drawables: 7, notes: 27 } as const;
const textFields = { text: 3 } as const;

/** Presentations of Keynote of 2013 and later: titles, texts and notes, slide by slide. */
export const readKeynote: ReadDocument = (input, context) => {
  const deck = new KeynoteDeck(openIwork(input.bytes, context.budget));
  const slides = deck.listSlides();
  if (slides.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no list of its slides." });
  const blocks: Block[] = [];
  for (const number of chooseSlides(slides.length, context)) {
    if (context.budget.isTimeSpent && blocks.length > 0) {
      context.warn(`Reading took longer than allowed: the slides from ${number} on were left out.`);
      break;
    }
    blocks.push({ type: "pageBreak", number });
    for (const block of deck.readSlide(slides[number - 1])) blocks.push(block);
  }
  tellLosses(deck, context);
  return { metadata: { pageCount: slides.length }, blocks };
};

function tellLosses({ tableCount, chartCount }: KeynoteDeck, context: ReadContext): void {
  context.warn("The looks of text, such as bullets and bold, are not read from Keynote.");
  if (tableCount > 0) context.warn(`Tables were left out (${tableCount}). Export the presentation as .pptx for them.`);
  if (chartCount > 0) context.warn(`Charts were left out (${chartCount}). Export the presentation as .pptx for them.`);
}

class KeynoteDeck {
  tableCount = 0;
  chartCount = 0;
  readonly #objects: ReadonlyMap<number, IworkObject>;
  readonly #visited = new Set<number>();

  constructor(objects: ReadonlyMap<number, IworkObject>) {
    this.#objects = objects;
  }

  /** Numbers of the slides in the order in which they are shown. */
  listSlides(): number[] {
    const show = this.#objects.values().find(({ type, part }) => type === types.show && part === "Document");
    const nodes = referencesOf(messageIn(show?.body, showFields.slideTree), treeFields.nodes);
    return [...new Set(nodes)].flatMap((node) => {
      const [slide] = referencesOf(this.#objects.get(node)?.body, nodeFields.slide);
      return slide !== undefined && this.#objects.has(slide) ? [slide] : [];
    });
  }

  readSlide(id = 0): Block[] {
    const slide = this.#objects.get(id)?.body;
    // What lies on a slide leads back to it, and from there to everything else on it.
    this.#visited.add(id);
    const read = (field: number): Block[] => referencesOf(slide, field).flatMap((other) => this.#readObject(other));
    const title = read(slideFields.title);
    const content = [...read(slideFields.body), ...read(slideFields.drawables)];
    const notes = read(slideFields.notes);
    const lines = title.flatMap((block): (readonly Inline[])[] => (block.type === "paragraph" ? [block.inlines] : []));
    return [
      ...(lines.length === 0 ? title : [titleOf(lines)]),
      ...content,
      ...(notes.length === 0 ? [] : [notesQuote(notes)]),
    ];
  }

  // The texts of an object and of those that it leads to, each once.
  #readObject(from: number): Block[] {
    const blocks: Block[] = [];
    const waiting = [from];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const object = this.#objects.get(id);
      if (object === undefined || this.#visited.has(id) || object.part === "Document") continue;
      this.#visited.add(id);
      for (const block of this.#readOne(object)) blocks.push(block);
      const references = findReferences(object.body, (other) => this.#objects.has(other));
      for (const reference of references.toReversed()) waiting.push(reference);
    }
    return blocks;
  }

  #readOne({ type, body }: IworkObject): Block[] {
    switch (type) {
      case types.text:
      case types.oldText:
        return textOf(body);
      case types.image:
        return [{ type: "image", alt: "" }];
      case types.table:
        this.tableCount++;
        return [];
      case types.chart:
        this.chartCount++;
        return [];
      default:
        return [];
    }
  }
}

/** Stands where something else than text does. */
const placeOfObject = /\ufffc/g;

function textOf(body: Buffer): Block[] {
  const pieces = (readFields(body) ?? []).flatMap(({ field, bytes }) =>
    field === textFields.text && bytes !== undefined ? [bytes.toString("utf8")] : [],
  );
  return pieces
    .join("")
    .replaceAll(placeOfObject, "")
    .split(/[\n\r\u2029]/)
    .flatMap((line): Block[] => {
      const spans = line
        .split(/[\u2028\v]/)
        .flatMap((piece, index) => [
          ...(index === 0 ? [] : [{ content: { type: "lineBreak" as const }, format: 0 }]),
          { content: piece.replaceAll("\t", " "), format: 0 },
        ]);
      const inlines = toInlines(spans);
      return inlines.length === 0 ? [] : [{ type: "paragraph", inlines }];
    });
}
