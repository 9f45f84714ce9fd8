import { formatNumber } from "./word-number-formats.ts";

/** One numbered or bulleted paragraph's place. */
export interface NumberedPlace {
  readonly numberingId: string;
  /** From 0. */
  readonly level: number;
  readonly kind: "ordered" | "bullet" | "none";
  readonly number: number;
  /** What Word shows before the paragraph: `1.2`, `(a)`, `Article I`; empty for bullets. */
  readonly label: string;
  /** Whether the label is more than a number, such as `Article I`, which no list marker can say. */
  readonly hasWords: boolean;
  /** Left indent in twentieths of a point that the level gives. */
  readonly indent: number | undefined;
}

/** How one level of a numbering counts and looks. */
export interface NumberingLevel {
  /** Number of the first paragraph. */
  readonly start: number;
  /** As `w:numFmt` names it. */
  readonly format: string;
  /** The label, with `%1` for the number of the first level. */
  readonly text: string;
  /** Left indent in twentieths of a point. */
  readonly indent: number | undefined;
  readonly restartAfter: number | undefined;
  readonly paragraphStyleId: string | undefined;
  readonly isLegal: boolean;
}

export interface Numbering {
  /** Numberings of one definition go on counting together. */
  readonly abstractId: string;
  readonly levels: readonly (NumberingLevel | undefined)[];
  readonly startOverrides: ReadonlyMap<number, number>;
}

/** Levels of a numbering. */
export const numberingLevelCount = 9;
/** Characters of a label; longer ones would repeat with every paragraph. */
export const maxNumberingLabel = 100;

/** The counters of all numberings while a document is read (ECMA-376 part 1 §17.9). */
export class NumberingCounters {
  readonly #readNumbering: (id: string) => Numbering | undefined;
  readonly #numberings = new Map<string, Numbering | undefined>();
  readonly #counters = new Map<string, (number | undefined)[]>();
  readonly #startedIds = new Set<string>();

  /** `readNumbering` is asked once for each numbering. */
  constructor(readNumbering: (id: string) => Numbering | undefined) {
    this.#readNumbering = readNumbering;
  }

  /** The level that a numbering ties to a paragraph style, when it does. */
  levelOfStyle(numberingId: string, styleId: string): number | undefined {
    const levels = this.#numbering(numberingId)?.levels ?? [];
    const index = levels.findIndex((level) => level?.paragraphStyleId === styleId);
    return index === -1 ? undefined : index;
  }

  /** Counts one paragraph; undefined when there is no such numbering. */
  next(numberingId: string, wantedLevel: number): NumberedPlace | undefined {
    const numbering = this.#numbering(numberingId);
    const level = Math.min(numberingLevelCount - 1, Math.max(0, wantedLevel));
    const definition = numbering?.levels[level];
    if (numbering === undefined || definition === undefined) return undefined;
    const counters = this.#countersOf(numberingId, numbering);
    const number = (counters[level] ?? definition.start - 1) + 1;
    counters[level] = number;
    for (let deeper = level + 1; deeper < numberingLevelCount; deeper++) {
      const restartAfter = numbering.levels[deeper]?.restartAfter ?? deeper;
      if (restartAfter !== 0 && level < restartAfter) counters[deeper] = undefined;
    }
    return {
      numberingId,
      level,
      kind: kindOf(definition),
      number,
      label: kindOf(definition) === "bullet" ? "" : labelOf(numbering, level, counters),
      hasWords: /\p{L}{2}/u.test(definition.text.replaceAll(/%\d/g, "")),
      indent: definition.indent,
    };
  }

  // Instances of one abstract numbering go on counting together, but for the levels whose start an instance overrides.
  #countersOf(numberingId: string, numbering: Numbering): (number | undefined)[] {
    let counters = this.#counters.get(numbering.abstractId);
    if (counters === undefined) {
      counters = [];
      this.#counters.set(numbering.abstractId, counters);
    }
    if (!this.#startedIds.has(numberingId)) {
      this.#startedIds.add(numberingId);
      for (const [level, start] of numbering.startOverrides) counters[level] = start - 1;
    }
    return counters;
  }

  #numbering(id: string): Numbering | undefined {
    if (!this.#numberings.has(id)) this.#numberings.set(id, this.#readNumbering(id));
    return this.#numberings.get(id);
  }
}

function kindOf({ format, text }: NumberingLevel): NumberedPlace["kind"] {
  if (format === "bullet") return "bullet";
  if (format === "none") return "none";
  return text.includes("%") || text === "" ? "ordered" : "bullet";
}

// `%1.%2` stands for the numbers of the first and the second level.
function labelOf(numbering: Numbering, level: number, counters: readonly (number | undefined)[]): string {
  const definition = numbering.levels[level];
  return (definition?.text ?? "").replaceAll(/%([1-9])/g, (_, digit: string) => {
    const index = Number(digit) - 1;
    const shown = numbering.levels[index];
    const number = counters[index] ?? shown?.start ?? 1;
    return formatNumber(number, definition?.isLegal === true ? "decimal" : (shown?.format ?? "decimal"));
  });
}
