import type { LineView, TextRange } from "./escape-text.ts";

/** A stretch to escape because of where it stands on its line. */
export interface ForcedEscape {
  readonly start: number;
  readonly end: number;
  /** Whether each character needs a backslash, or the first alone. */
  readonly isWhole: boolean;
}

// Each group that must take the backslash is `m`; they are tried at the start of a line, in order.
const blockStarts = [
  /(?<m>[-+*])(?=[ \t]|$)/dy,
  /(?<m>#{1,6})(?=[ \t]|$)/dy,
  /(?<m>>)/dy,
  /\d{1,9}(?<m>[.)])(?=[ \t]|$)/dy,
  /(?<m>[-*_])[ \t]*(?:\k<m>[ \t]*){2,}$/dy,
  /(?<m>`{3,}|~{3,}|\${2,})/dy,
  /(?<m><)[A-Za-z/!?]/dy,
  /(?<m>\+)\+\+[ \t]*$/dy,
];
const laterLineStarts = [/(?<m>=)=*[ \t]*$/dy, /(?<m>[-:|])[-:| \t]*$/dy];
const checkBox = /(?<m>\[)[ xX]\][ \t\n]/dy;
const noteDefinition = /\uffff(?<m>:)/dy;

/** What to escape at the start of the line that this text begins; undefined when nothing, or when it begins no line. */
export function lineStartEscape(view: LineView, { start, end }: TextRange): ForcedEscape | undefined {
  const { text, place } = view;
  if (place.kind === "heading" && end === text.length) return closingSequence(text, start);
  if (place.kind !== "paragraph") return undefined;
  if (start === 1 && text.charAt(1) === ":") return firstMatch([noteDefinition], text, 0);
  if (start !== 0 && text.charAt(start - 1) !== "\n") return undefined;
  const patterns = start === 0 ? blockStarts : [...blockStarts, ...laterLineStarts];
  return firstMatch(place.startsItem === true ? [...patterns, checkBox] : patterns, text, start);
}

// `# C #`: number signs after a space at the end of a heading would be taken for its closing sequence.
function closingSequence(text: string, start: number): ForcedEscape | undefined {
  const match = /(?:^|[ \t])(#+)$/.exec(text.slice(start));
  const run = match?.[1];
  if (run === undefined) return undefined;
  return { start: text.length - run.length, end: text.length - run.length + 1, isWhole: false };
}

function firstMatch(patterns: readonly RegExp[], text: string, at: number): ForcedEscape | undefined {
  for (const pattern of patterns) {
    pattern.lastIndex = at;
    const place = pattern.exec(text)?.indices?.groups?.["m"];
    if (place !== undefined) return { start: place[0], end: place[1], isWhole: /[`~$]/.test(text.charAt(place[0])) };
  }
  return undefined;
}
