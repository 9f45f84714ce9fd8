/**
 * What the line ends of a group of lines mean: `wrapped`: nothing, an editor put them there; `lines`: each line stands for
 * itself; `paragraphs`: each line is a paragraph; `exact`: even the spaces matter.
 */
export type GroupKind = "wrapped" | "lines" | "paragraphs" | "exact";

const minWrapWidth = 42;
const maxWrapWidth = 160;
const minNarrowWidth = 28;
const minNarrowLines = 5;
const wideCharacter = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;
const sentenceEnd = /[.!?:;。！？…"”»)\]]$/u;
const dotLeader = /\.{4,}|(?:\. ){4,}/;
const alignedGap = /\S(?: {3,}|\t)\S/;
const codeEnd = /[;{}]$|^\s*(?:\/\/|#include|import |def |class |function |return\b|<\/?[a-z]+>)/;
const boxOrRule = /[\u2500-\u257f|+=_-]{3,}/;

/** Judges lines that no blank line parts, from their widths, ends and beginnings. */
export function classifyGroup(lines: readonly string[]): GroupKind {
  if (lines.length === 1) return "wrapped";
  if (isExact(lines)) return "exact";
  const widths = lines.map(widthOf);
  const widest = widths.reduce((most, width) => Math.max(most, width), 0);
  if (isDeliberate(lines)) return widest > maxWrapWidth ? "paragraphs" : "lines";
  if (widest <= maxWrapWidth * 1.5 && isWrapped(lines, widths, widest)) return "wrapped";
  return widest > maxWrapWidth || (widest > 80 && share(lines, sentenceEnd) === 1) ? "paragraphs" : "lines";
}

// A table drawn with spaces, a box drawn with lines, or code.
function isExact(lines: readonly string[]): boolean {
  const trimmed = lines.map((line) => line.trim().slice(0, maxJudgedLength));
  if (share(trimmed, alignedGap) >= 0.6) return true;
  if (lines.length > 2 && share(trimmed, codeEnd) >= 0.5) return true;
  return share(trimmed, boxOrRule) >= 0.5 && lines.length > 2;
}

const maxJudgedLength = 1000;

// Verse begins every line with a capital, a log with a date or number, a table of contents leads with dots to its pages.
function isDeliberate(lines: readonly string[]): boolean {
  if (share(lines, dotLeader) >= 0.5) return true;
  const isCapital = share(lines, /^\s*[\p{Pi}"'«(]?\p{Lu}/u) >= 0.85;
  if (isCapital && lines.length >= 4) return true;
  return lines.length >= 3 && share(lines, /^\s*[\d[<>#|@]/) >= 0.85;
}

/*
 * An editor that wraps leaves a line only when the next word does not fit. So each line with the first word of the next one
 * must be wider than the widest line of the group, which is no wider than the margin was.
 */
function isWrapped(lines: readonly string[], widths: readonly number[], widest: number): boolean {
  if (widest < minNarrowWidth || (widest < minWrapWidth && lines.length < minNarrowLines)) return false;
  let full = 0;
  for (let index = 0; index + 1 < lines.length; index++) {
    const isFull = (widths[index] ?? 0) + 1 + firstWordWidth(lines[index + 1] ?? "") > widest;
    if (isFull) full++;
  }
  const needed = widest < minWrapWidth ? 1 : 0.75;
  return full >= (lines.length - 1) * needed;
}

function firstWordWidth(line: string): number {
  const word = /^\s*(\S{1,200})/.exec(line)?.[1] ?? "";
  const breaksAnywhere = /^[\u2e80-\u9fff\uff00-\uff60]/.test(word);
  return breaksAnywhere ? 4 : widthOf(word);
}

function widthOf(line: string): number {
  const wide = line.length > maxJudgedLength ? 0 : (line.match(wideCharacter)?.length ?? 0);
  return line.trimEnd().length + wide;
}

function share(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length / lines.length;
}
