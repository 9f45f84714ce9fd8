import type { OpcElement } from "../../containers/opc-element.ts";
import {
  maxNumberingLabel,
  type Numbering,
  NumberingCounters,
  type NumberingLevel,
  numberingLevelCount,
} from "../../containers/word-numbering.ts";
import { indentOf, toInteger } from "./styles.ts";

/** Numbering definitions of a document (`numbering.xml`, ECMA-376 part 1 §17.9), ready to count. */
export function readNumberings(root: OpcElement | undefined): NumberingCounters {
  const definitions = new NumberingDefinitions(root);
  return new NumberingCounters((id) => definitions.read(id));
}

class NumberingDefinitions {
  readonly #abstracts = new Map<string, OpcElement>();
  readonly #abstractIdByStyleLink = new Map<string, string>();
  readonly #instances = new Map<string, OpcElement>();

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

  read(id: string): Numbering | undefined {
    const instance = this.#instances.get(id);
    const abstractId = instance?.child("w:abstractNumId")?.get("w:val");
    if (instance === undefined || abstractId === undefined) return undefined;
    const realId = this.#followStyleLink(abstractId);
    const levels: (NumberingLevel | undefined)[] = [];
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

function applyOverride(
  override: OpcElement,
  levels: (NumberingLevel | undefined)[],
  starts: Map<number, number>,
): void {
  const replaced = override.child("w:lvl");
  if (replaced !== undefined) setLevel(levels, replaced);
  const level = levelIndex(override);
  const start = toInteger(override.child("w:startOverride")?.get("w:val"));
  if (level !== undefined && start !== undefined) starts.set(level, start);
}

function levelIndex(element: OpcElement): number | undefined {
  const index = toInteger(element.get("w:ilvl"));
  return index !== undefined && index >= 0 && index < numberingLevelCount ? index : undefined;
}

function setLevel(levels: (NumberingLevel | undefined)[], element: OpcElement): void {
  const index = levelIndex(element);
  if (index === undefined) return;
  levels[index] = {
    start: toInteger(element.child("w:start")?.get("w:val")) ?? 0,
    format: formatOf(element),
    text: (element.child("w:lvlText")?.get("w:val") ?? "").slice(0, maxNumberingLabel),
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
