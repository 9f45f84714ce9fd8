import { runFormat } from "../../containers/opc-inlines.ts";
import { isMonospacedFont } from "../../containers/word-names.ts";
import { applyCharacterGroup, type CharacterChanges, resolveToggle } from "./character-changes.ts";
import type { Fonts } from "./fonts.ts";
import type { CharacterStyle, ParagraphStyle, Stylesheet } from "./stylesheet.ts";
import type { TextRun } from "./text-run.ts";

/** How a run of text looks, as far as it says something. */
export interface RunLook {
  /** Sum of `runFormat`. */
  readonly format: number;
  readonly isHidden: boolean;
  readonly isDeleted: boolean;
  readonly isSpecial: boolean;
  readonly fontIndex: number | undefined;
  /** Name of the font of a symbol typed as such, or of the text. */
  readonly font: string | undefined;
  /** Whether the run itself, and not the style of its paragraph, is set in a monospaced font. */
  readonly isMonospaced: boolean;
  readonly picturePlace: number | undefined;
  readonly isData: boolean;
  readonly symbol: CharacterChanges["symbol"];
}

interface LookSource {
  readonly stylesheet: Stylesheet;
  readonly fonts: Fonts;
  readonly isWord6: boolean;
}

/** The looks of runs by their own changes, their character style, and their paragraph's style ([MS-DOC] 2.4.6.2). */
export class RunLooks {
  readonly #source: LookSource;
  readonly #known = new Map<ParagraphStyle, Map<number, RunLook>>();

  constructor(source: LookSource) {
    this.#source = source;
  }

  /** `style` must be the same object for paragraphs of the same style. */
  lookOf({ formatting, changes }: Pick<TextRun, "formatting" | "changes">, style: ParagraphStyle): RunLook {
    const group = formatting?.group ?? nothing;
    if (changes.length > 0) return this.#toLook([group, changes], style);
    let looks = this.#known.get(style);
    if (looks === undefined) {
      looks = new Map();
      this.#known.set(style, looks);
    }
    const key = formatting?.groupAt ?? 0;
    let look = looks.get(key);
    if (look === undefined) {
      look = this.#toLook([group], style);
      looks.set(key, look);
    }
    return look;
  }

  #toLook(groups: readonly Buffer[], style: ParagraphStyle): RunLook {
    const { stylesheet, fonts, isWord6 } = this.#source;
    const direct: CharacterChanges = {};
    for (const group of groups) applyCharacterGroup(direct, group, isWord6);
    const character = direct.styleIndex === undefined ? undefined : stylesheet.characterStyle(direct.styleIndex);
    const ownFontIndex = direct.fontIndex ?? character?.fontIndex;
    const fontIndex = ownFontIndex ?? style.fontIndex;
    const ownFont = fonts.name(ownFontIndex);
    const hidden = resolveToggle(direct.isHidden, isToggled(character?.isHidden, style.isHidden));
    return {
      format: formatOf(direct, character, style) & ~commonFormat(style),
      isHidden: hidden || direct.isWebHidden === true,
      isDeleted: direct.isDeleted === true,
      isSpecial: isMark(direct),
      fontIndex,
      font: fonts.name(direct.symbol?.fontIndex ?? fontIndex),
      isMonospaced: ownFont !== undefined && isMonospacedFont(ownFont),
      picturePlace: direct.picturePlace,
      isData: direct.isData === true,
      symbol: direct.symbol,
    };
  }
}

const nothing = Buffer.alloc(0);

function isMark({ isSpecial, picturePlace, symbol }: CharacterChanges): boolean {
  return isSpecial === true || picturePlace !== undefined || symbol !== undefined;
}

function formatOf(direct: CharacterChanges, character: CharacterStyle | undefined, paragraph: CharacterStyle): number {
  const isBold = resolveToggle(direct.isBold, isToggled(character?.isBold, paragraph.isBold));
  const isItalic = resolveToggle(direct.isItalic, isToggled(character?.isItalic, paragraph.isItalic));
  const script = direct.script ?? character?.script ?? paragraph.script;
  let format = 0;
  if (script === "superscript") format |= runFormat.superscript;
  if (script === "subscript") format |= runFormat.subscript;
  if (isBold) format |= runFormat.bold;
  if (isItalic) format |= runFormat.italic;
  if (character?.isCode === true) format |= runFormat.code;
  return format;
}

/** Roles whose own look is bold or italic, which says nothing more. */
const formattedRoles: ReadonlySet<string> = new Set(["title", "quote", "code", "preformatted", "caption", "toc"]);

function commonFormat({ headingLevel, role, isBold, isItalic }: ParagraphStyle): number {
  if (headingLevel === undefined && !formattedRoles.has(role)) return 0;
  return (isBold ? runFormat.bold : 0) | (isItalic ? runFormat.italic : 0);
}

// Styles toggle: what both of two styles set is off again.
function isToggled(character: boolean | undefined, paragraph: boolean): boolean {
  return (character === true) !== paragraph;
}
