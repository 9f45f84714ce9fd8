import type { Block, List, ListItem } from "../document/document.ts";
import type { OdfContext } from "./odf-context.ts";
import type { OdfElement } from "./odf-element.ts";
import type { ToBlocks } from "./odf-spans.ts";

interface ListPlace {
  /** One-based. */
  readonly level: number;
  readonly styleName: string | undefined;
}

/** A list as read: inner lists that begin it without an item of their own, then the rest. */
export interface OdfListBlocks {
  readonly leading: readonly Block[];
  readonly blocks: readonly Block[];
}

/** Reads lists and keeps the numbers at which they may go on later. */
export class OdfLists {
  readonly #context: OdfContext;
  readonly #toBlocks: ToBlocks;
  /** Last number by list style and level, and by the id of a list. */
  readonly #lastNumbers = new Map<string, number>();
  #place: ListPlace | undefined;

  constructor(context: OdfContext, toBlocks: ToBlocks) {
    this.#context = context;
    this.#toBlocks = toBlocks;
  }

  /** The blocks of a `text:list`: lists, and headings that stand in them only for their numbers. */
  read(list: OdfElement): OdfListBlocks {
    const outer = this.#place;
    const level = (outer?.level ?? 0) + 1;
    const styleName = list.get("text:style-name") ?? outer?.styleName ?? this.#styleOfFirst(list);
    this.#place = { level, styleName };
    const { isOrdered, start } = this.#context.styles.listLevel(styleName, level);
    const builder = new ListBuilder(isOrdered, this.#firstNumber(list, `${styleName}:${level}`, start));
    for (const item of list.elements()) this.#addItem(item, builder);
    this.#place = outer;
    this.#lastNumbers.set(`${styleName}:${level}`, builder.lastNumber);
    const id = list.get("xml:id");
    if (id !== undefined) this.#lastNumbers.set(`#${id}`, builder.lastNumber);
    return builder.finish();
  }

  #addItem(item: OdfElement, builder: ListBuilder): void {
    if (item.name !== "text:list-item" && item.name !== "text:list-header") return;
    const blocks = this.#toBlocks(item);
    const isNumbered = this.#context.styles.isNumbered(item.child("text:p")?.get("text:style-name"));
    if (isNumbered) builder.add(blocks, Number(item.get("text:start-value") ?? Number.NaN));
    else builder.addPlain(blocks);
  }

  /** Reads what is no part of the list around it, such as a table in a list item, with lists that count from their own. */
  outside(read: () => Block[]): Block[] {
    const outer = this.#place;
    this.#place = undefined;
    const blocks = read();
    this.#place = outer;
    return blocks;
  }

  #firstNumber(list: OdfElement, key: string, start: number): number {
    const continued = list.get("text:continue-list");
    const last =
      continued !== undefined
        ? this.#lastNumbers.get(`#${continued}`)
        : list.get("text:continue-numbering") === "true"
          ? this.#lastNumbers.get(key)
          : undefined;
    return last === undefined ? start : last + 1;
  }

  #styleOfFirst(list: OdfElement): string | undefined {
    const paragraph = list.descendant("text:p") ?? list.descendant("text:h");
    return this.#context.styles.listStyleOf(paragraph?.get("text:style-name"));
  }
}

class ListBuilder {
  readonly #isOrdered: boolean;
  readonly #leading: Block[] = [];
  readonly #blocks: Block[] = [];
  #items: ListItem[] = [];
  #start: number;
  #next: number;

  constructor(isOrdered: boolean, start: number) {
    this.#isOrdered = isOrdered;
    this.#start = start;
    this.#next = start;
  }

  get lastNumber(): number {
    return this.#next - 1;
  }

  add(blocks: readonly Block[], startValue: number): void {
    if (blocks.length === 0) return;
    if (blocks.every(({ type }) => type === "list")) return this.#addInner(blocks);
    if (startValue >= 0 && Number.isSafeInteger(startValue)) this.#restart(startValue);
    if (blocks[0]?.type === "heading") {
      this.#restart(this.#next);
      this.#blocks.push(...blocks);
      this.#restart(this.#next + 1);
      return;
    }
    this.#items.push({ blocks });
    this.#next++;
  }

  /** Adds what stands in the list without a mark of its own. */
  addPlain(blocks: readonly Block[]): void {
    if (blocks.length === 0) return;
    const next = this.#next;
    this.#restart(next);
    this.#blocks.push(...blocks);
  }

  // An item of nothing but a list has no number of its own.
  #addInner(blocks: readonly Block[]): void {
    const last = this.#items.at(-1);
    if (last !== undefined) this.#items[this.#items.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] };
    else if (this.#blocks.length === 0) this.#leading.push(...blocks);
    else this.#blocks.push(...blocks);
  }

  #restart(number: number): void {
    this.#flush();
    this.#start = number;
    this.#next = number;
  }

  #flush(): void {
    if (this.#items.length === 0) return;
    const list: List = {
      type: "list",
      ordered: this.#isOrdered,
      ...(this.#isOrdered && this.#start !== 1 && { start: this.#start }),
      items: this.#items,
    };
    this.#blocks.push(list);
    this.#items = [];
  }

  finish(): OdfListBlocks {
    this.#flush();
    return { leading: this.#leading, blocks: this.#blocks };
  }
}
