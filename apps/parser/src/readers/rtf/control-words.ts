import { type GroupState, type ParagraphState, plainCharacters, plainParagraph } from "./group-state.ts";

type Parameter = number | undefined;

/** Words and symbols that stand for text. */
export const specialText: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["emdash", "—"],
  ["endash", "–"],
  ["lquote", "‘"],
  ["rquote", "’"],
  ["ldblquote", "“"],
  ["rdblquote", "”"],
  ["bullet", "•"],
  ["emspace", "\u2003"],
  ["enspace", "\u2002"],
  ["qmspace", "\u2005"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
  ["ltrmark", "\u200e"],
  ["rtlmark", "\u200f"],
  ["~", "\u00a0"],
  ["_", "\u2011"],
]);

const isOn = (parameter: Parameter): boolean => parameter !== 0;

/** Words that change how the characters after them look. */
export const characterWords: ReadonlyMap<string, (state: GroupState, parameter: Parameter) => void> = new Map<
  string,
  (state: GroupState, parameter: Parameter) => void
>([
  ["plain", (state) => void Object.assign(state, { ...plainCharacters, link: state.link, isDeleted: state.isDeleted })],
  ["f", (state, parameter) => void (state.font = parameter)],
  ["b", (state, parameter) => void (state.isBold = isOn(parameter))],
  ["i", (state, parameter) => void (state.isItalic = isOn(parameter))],
  ["super", (state, parameter) => void (state.script = isOn(parameter) ? "super" : undefined)],
  ["sub", (state, parameter) => void (state.script = isOn(parameter) ? "sub" : undefined)],
  ["nosupersub", (state) => void (state.script = undefined)],
  ["v", (state, parameter) => void (state.isHidden = isOn(parameter))],
  ["deleted", (state, parameter) => void (state.isDeleted = isOn(parameter))],
  ["uc", (state, parameter) => void (state.fallbackLength = Math.min(64, Math.max(0, parameter ?? 1)))],
]);

/** Words that change what the paragraph they stand in is. */
export const paragraphWords: ReadonlyMap<string, (paragraph: ParagraphState, parameter: Parameter) => ParagraphState> =
  new Map<string, (paragraph: ParagraphState, parameter: Parameter) => ParagraphState>([
    ["pard", () => plainParagraph],
    ["s", (paragraph, style) => ({ ...paragraph, style })],
    ["outlinelevel", (paragraph, outlineLevel) => ({ ...paragraph, outlineLevel })],
    ["ls", (paragraph, listId) => ({ ...paragraph, listId })],
    ["ilvl", (paragraph, level) => ({ ...paragraph, listLevel: Math.min(8, Math.max(0, level ?? 0)) })],
    ["intbl", (paragraph) => ({ ...paragraph, tableDepth: Math.max(1, paragraph.tableDepth) })],
    ["itap", (paragraph, depth) => ({ ...paragraph, tableDepth: Math.max(0, depth ?? 1) })],
  ]);
