import type { Block, List, ListItem } from "../document/document.ts";
import type { NumberedPlace } from "./word-numbering.ts";

interface OpenList {
  readonly place: NumberedPlace;
  readonly indent: number;
  readonly items: ListItem[];
  /** Blocks of the last item. */
  blocks: Block[];
}

/** Indents closer than this, in twentieths of a point, are the same. */
const indentTolerance = 60;

/** Nests numbered paragraphs, which Word keeps flat, into lists; one run of them without anything between. */
export class ListBuilder {
  readonly #open: OpenList[] = [];
  readonly #lists: Block[] = [];

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  addItem(place: NumberedPlace, indent: number, item: { blocks: Block[]; isChecked?: boolean }): void {
    this.#closeAbove(place, indent);
    const top = this.#open.at(-1);
    if (top !== undefined && isSameList(top, place)) {
      top.items.push(item);
      top.blocks = item.blocks;
      return;
    }
    const items: ListItem[] = [item];
    const list: List = {
      type: "list",
      ordered: place.kind === "ordered",
      ...(place.kind === "ordered" && place.number !== 1 && { start: place.number }),
      items,
    };
    (top?.blocks ?? this.#lists).push(list);
    this.#open.push({ place, indent, items, blocks: item.blocks });
  }

  /** Takes an unnumbered paragraph into the item that its indent puts it under; false when there is none. */
  continueItem(block: Block, indent: number): boolean {
    const found = this.#open.findLastIndex(
      (list) => (list.indent > 0 || indent === Infinity) && indent >= list.indent - indentTolerance,
    );
    if (found === -1) return false;
    this.#open.length = found + 1;
    this.#open[found]?.blocks.push(block);
    return true;
  }

  /** The lists built since the last call. */
  take(): Block[] {
    this.#open.length = 0;
    return this.#lists.splice(0);
  }

  // Leaves open the lists that the next item belongs to or lies inside of.
  #closeAbove(place: NumberedPlace, indent: number): void {
    const same = this.#open.findLastIndex((list) => isSameList(list, place));
    if (same !== -1) {
      this.#open.length = same + 1;
      return;
    }
    while (this.#open.length > 0 && !isInside(place, indent, this.#open.at(-1))) this.#open.pop();
  }
}

function isSameList({ place }: OpenList, next: NumberedPlace): boolean {
  return place.numberingId === next.numberingId && place.level === next.level && place.kind === next.kind;
}

// Levels decide; where lists of their own are set further in, as by the styles List Bullet and List Bullet 2, indents do.
function isInside(next: NumberedPlace, indent: number, outer: OpenList | undefined): boolean {
  if (outer === undefined) return true;
  if (next.level !== outer.place.level) return next.level > outer.place.level;
  return next.numberingId !== outer.place.numberingId && indent > outer.indent + indentTolerance;
}
