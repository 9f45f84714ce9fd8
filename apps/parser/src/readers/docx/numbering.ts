import type { OpcElement } from "../../containers/opc-element.ts";
import { formatNumber } from "./number-formats.ts";
import { indentOf, toInteger } from "./styles.ts";

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

interface Level {
  readonly start: number;
  readonly format: string;
  readonly text: string;
  readonly indent: number | undefined;
  readonly restartAfter: number | undefined;
  readonly paragraphStyleId: string | undefined;
  readonly isLegal: boolean;
}

interface Numbering {
  readonly abstractId: string;
  readonly levels: readonly (Level | undefined)[];
  readonly startOverrides: ReadonlyMap<number, number>;
}

const levelCount = 9;
/** Characters of a label; longer ones would repeat with every paragraph. */
const maxLabel = 100;

/** Numbering definitions of a document (`numbering.xml`, ECMA-376 part 1 §17.9) and the counters while it is read. */
export class NumberingCounters {
  readonly #abstracts = new Map<string, OpcElement>();
  readonly #abstractIdByStyleLink = new Map<string, string>();
  readonly #instances = new Map<string, OpcElement>();
  readonly #numberings = new Map<string, Numbering | undefined>();
  readonly #counters = new Map<string, (number | undefined)[]>();
  readonly #startedIds = new Set<string>();

  constructor(root: OpcElement | undefined) {
    for (const element of root?.elements("w:abstractNum") ?? []) {
      const id = element.get("w:abstractNumId") ?? "";
      this.#abstracts.set(id, element);
      const styleLink = element.child("w:styleLink")?.get("w:val");
      if (styleLink !== undefined) this.#abstractIdByStyleLink.set(styleLink, id);
    }
    for (const element of root?.elements("w:num") ?? []) {
      this.#instances.set(element.get("w:numId") ?? "", element);
    }
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
    const level = Math.min(levelCount - 1, Math.max(0, wantedLevel));
    const definition = numbering?.levels[level];
    if (numbering === undefined || definition === undefined) return undefined;
    const counters = this.#countersOf(numberingId, numbering);
    const number = (counters[level] ?? definition.start - 1) + 1;
    counters[level] = number;
    for (let deeper = level + 1; deeper < levelCount; deeper++) {
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

  #readNumbering(id: string): Numbering | undefined {
    const instance = this.#instances.get(id);
    const abstractId = instance?.child("w:abstractNumId")?.get("w:val");
    if (instance === undefined || abstractId === undefined) return undefined;
    const realId = this.#followStyleLink(abstractId);
    const levels: (Level | undefined)[] = [];
    for (const element of this.#abstracts.get(realId)?.elements("w:lvl") ?? []) setLevel(levels, element);
    const startOverrides = new Map<number, number>();
    for (const override of instance.elements("w:lvlOverride")) applyOverride(override, levels, startOverrides);
    return { abstractId: realId, levels, startOverrides };
  }

  #followStyleLink(abstractId: string): string {
    const style = this.#abstracts.get(abstractId)?.child("w:numStyleLink")?.get("w:val");
    return (style === undefined ? undefined : this.#abstractIdByStyleLink.get(style)) ?? abstractId;
  }
}

function applyOverride(override: OpcElement, levels: (Level | undefined)[], starts: Map<number, number>): void {
  const replaced = override.child("w:lvl");
  if (replaced !== undefined) setLevel(levels, replaced);
  const level = levelIndex(override);
  const start = toInteger(override.child("w:startOverride")?.get("w:val"));
  if (level !== undefined && start !== undefined) starts.set(level, start);
}

function levelIndex(element: OpcElement): number | undefined {
  const index = toInteger(element.get("w:ilvl"));
  return index !== undefined && index >= 0 && index < levelCount ? index : undefined;
}

function setLevel(levels: (Level | undefined)[], element: OpcElement): void {
  const index = levelIndex(element);
  if (index === undefined) return;
  levels[index] = {
    start: toInteger(element.child("w:start")?.get("w:val")) ?? 0,
    format: formatOf(element),
    text: (element.child("w:lvlText")?.get("w:val") ?? "").slice(0, maxLabel),
    indent: indentOf(element.child("w:pPr")),
    restartAfter: toInteger(element.child("w:lvlRestart")?.get("w:val")),
    paragraphStyleId: element.child("w:pStyle")?.get("w:val"),
    isLegal: element.child("w:isLgl") !== undefined,
  };
}

// Newer formats stand in a choice of markup compatibility, with one that every program knows beside it.
function formatOf(level: OpcElement): string {
  const format = level.child("w:numFmt") ?? level.path("mc:AlternateContent", "mc:Fallback", "w:numFmt");
  return format?.get("w:val") ?? "decimal";
}

function kindOf({ format, text }: Level): NumberedPlace["kind"] {
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
