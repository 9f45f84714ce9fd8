import type { OpcElement } from "../../containers/opc-element.ts";
import { runFormat } from "../../containers/opc-inlines.ts";
import { isMonospacedFont } from "../../containers/word-names.ts";
import { isTrue, type RunStyle, type Styles } from "./styles.ts";

/** How a run of text looks, as far as it says something. */
export interface RunLook {
  /** Sum of `runFormat`. */
  readonly format: number;
  readonly isHidden: boolean;
  readonly font: string | undefined;
  /** Whether the run itself, and not the style of its paragraph, is set in a monospaced font. */
  readonly isMonospaced: boolean;
}

export const plainLook: RunLook = { format: 0, isHidden: false, font: undefined, isMonospaced: false };

/** The look of a run by its own properties, its character style, and its paragraph's style (ECMA-376 part 1 §17.7.2). */
export function runLook(properties: OpcElement | undefined, paragraph: RunStyle, styles: Styles): RunLook {
  const direct = properties === undefined ? plainDirect : readDirect(properties);
  const character = direct.styleId === undefined ? plainStyle : styles.runStyle(direct.styleId);
  const ownFont = direct.font ?? character.font;
  return {
    format: formatOf(direct, character, paragraph),
    isHidden: direct.isWebHidden === true || (direct.isHidden ?? character.isHidden ?? paragraph.isHidden ?? false),
    font: ownFont ?? paragraph.font,
    isMonospaced: ownFont !== undefined && isMonospacedFont(ownFont),
  };
}

function formatOf(direct: DirectFormat, character: RunStyle, paragraph: RunStyle): number {
  const isBold = direct.isBold ?? isToggled(character.isBold, paragraph.isBold);
  const isItalic = direct.isItalic ?? isToggled(character.isItalic, paragraph.isItalic);
  const vertical = direct.vertical ?? character.vertical ?? paragraph.vertical;
  let format = vertical === undefined ? 0 : (verticalFormats.get(vertical) ?? 0);
  if (isBold) format |= runFormat.bold;
  if (isItalic) format |= runFormat.italic;
  if (character.isCode === true) format |= runFormat.code;
  return format;
}

// Styles toggle: what both of two styles set is off again (§17.7.3).
function isToggled(character: boolean | undefined, paragraph: boolean | undefined): boolean {
  return (character === true) !== (paragraph === true);
}

const plainStyle: RunStyle = {};

const verticalFormats: ReadonlyMap<string, number> = new Map([
  ["superscript", runFormat.superscript],
  ["subscript", runFormat.subscript],
]);

interface DirectFormat {
  styleId?: string | undefined;
  isBold?: boolean;
  isItalic?: boolean;
  isHidden?: boolean;
  isWebHidden?: boolean;
  vertical?: string | undefined;
  font?: string | undefined;
}

const plainDirect: DirectFormat = {};

function readDirect(properties: OpcElement): DirectFormat {
  const direct: DirectFormat = {};
  for (const child of properties.children) if (typeof child !== "string") readProperty(child, direct);
  return direct;
}

function readProperty(element: OpcElement, direct: DirectFormat): void {
  switch (element.name) {
    case "w:rStyle":
      direct.styleId = element.get("w:val");
      break;
    case "w:b":
      direct.isBold = isOn(element);
      break;
    case "w:i":
      direct.isItalic = isOn(element);
      break;
    case "w:vanish":
      direct.isHidden = isOn(element);
      break;
    case "w:webHidden":
      direct.isWebHidden = isOn(element);
      break;
    case "w:vertAlign":
      direct.vertical = element.get("w:val");
      break;
    case "w:rFonts":
      direct.font = element.get("w:ascii") ?? element.get("w:hAnsi");
      break;
    default:
  }
}

function isOn(element: OpcElement): boolean {
  return isTrue(element.get("w:val") ?? "1");
}
