import type { Cue } from "../../text/join-cues.ts";

export interface SubRipFile {
  readonly cues: readonly Cue[];
  /** Lines before the first caption. */
  readonly preface: string;
}

const timing =
  /^\s{0,40}(\d{1,3}):(\d{1,2}):(\d{1,2})[,.:](\d{1,3})\s{0,20}-{1,3}>\s{0,20}(\d{1,3}):(\d{1,2}):(\d{1,2})[,.:](\d{1,3})/;
const tag = /<\/?(?:i|b|u|s|em|strong|font|span|c|v)(?:[ \t][^<>]{0,200})?>|\{\\[^{}]{0,200}\}|\{[yY]:[^{}]{0,20}\}/gi;

/** Captions of a SubRip file. Found by their timings, so that missing numbers and blank lines do no harm. */
export function parseSubRip(text: string): SubRipFile {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, index) => (timing.test(line) ? [index] : []));
  const cues = starts.map((start, index) => {
    const end = textEnd(lines, starts[index + 1]);
    return { ...timesOf(lines[start] ?? ""), lines: toLines(lines.slice(start + 1, end)) };
  });
  return { cues, preface: lines.slice(0, textEnd(lines, starts[0])).join("\n").trim() };
}

// The number of the next caption stands directly above its timing, and is no text of this one.
function textEnd(lines: readonly string[], nextTiming: number | undefined): number {
  if (nextTiming === undefined) return lines.length;
  const isNumber = /^\s{0,40}\d{1,7}\s{0,40}$/.test(lines[nextTiming - 1] ?? "");
  const isAlone = nextTiming < 2 || (lines[nextTiming - 2] ?? "").trim() === "";
  return isNumber && isAlone ? nextTiming - 1 : nextTiming;
}

function timesOf(line: string): { readonly startMs: number; readonly endMs: number } {
  const numbers = (timing.exec(line) ?? []).slice(1).map(Number);
  const toMs = (at: number): number =>
    (((numbers[at] ?? 0) * 60 + (numbers[at + 1] ?? 0)) * 60 + (numbers[at + 2] ?? 0)) * 1000 + (numbers[at + 3] ?? 0);
  return { startMs: toMs(0), endMs: toMs(4) };
}

function toLines(lines: readonly string[]): Cue["lines"] {
  return lines
    .map((line) => line.replaceAll(tag, "").replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .map((line) => ({ text: line }));
}
