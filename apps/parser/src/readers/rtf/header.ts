import type { RtfFont } from "./charsets.ts";

export interface RtfStyle {
  readonly name: string;
  readonly outlineLevel: number | undefined;
}

/** What the tables before the text define; filled while they are read. */
export class RtfHeader {
  documentLabel = "windows-1252";
  defaultFont: number | undefined;
  readonly fonts = new Map<number, RtfFont>();
  readonly styles = new Map<number, RtfStyle>();
  /** Kinds of numbers (\levelnfc) of each list's levels, by list id. */
  readonly #levelKinds = new Map<number, readonly number[]>();
  readonly #listIds = new Map<number, number>();
  readonly information = new Map<string, string>();

  addList(listId: number, levelKinds: readonly number[]): void {
    this.#levelKinds.set(listId, levelKinds);
  }

  addListOverride(override: number, listId: number): void {
    this.#listIds.set(override, listId);
  }

  /** Whether the level of a list has bullets; undefined when the file does not say. */
  isBullet(override: number, level: number): boolean | undefined {
    const kind = this.#levelKinds.get(this.#listIds.get(override) ?? Number.NaN)?.[level];
    return kind === undefined ? undefined : kind === bulletKind || kind === noKind;
  }

  /** The level of a heading from its style, from 1; undefined for other styles. */
  headingLevel(style: number | undefined): number | undefined {
    const found = this.styles.get(style ?? 0);
    if (found === undefined) return undefined;
    const named =
      /^(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|заголовок|見出し|标题|標題|제목)\s*([1-9])(?!\d)/i.exec(
        found.name,
      )?.[1];
    if (named !== undefined) return Number(named);
    if (/^title$/i.test(found.name)) return 1;
    return found.outlineLevel !== undefined && found.outlineLevel < 9 ? found.outlineLevel + 1 : undefined;
  }
}

const bulletKind = 23;
const noKind = 255;
