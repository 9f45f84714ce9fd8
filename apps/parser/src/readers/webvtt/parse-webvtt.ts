import type { Cue, CueLine } from "../../text/join-cues.ts";
import { parseCueText } from "./parse-cue-text.ts";

export interface WebVttFile {
  readonly cues: readonly Cue[];
  readonly title?: string;
  readonly language?: string;
}

const timing =
  /^\s{0,40}(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s{0,20}-->\s{0,20}(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

/** Captions of a WebVTT file (https://www.w3.org/TR/webvtt1/#file-parsing); notes, styles, regions and identifiers dropped. */
export function parseWebVtt(text: string): WebVttFile {
  const [header = [], ...rest] = toBlocks(text);
  const isHeader = /^WEBVTT(?:[ \t]|$)/.test(header[0] ?? "");
  const blocks = isHeader && !header.some(isTiming) ? rest : [header, ...rest];
  const title = isHeader
    ? (header[0] ?? "")
        .slice(6)
        .replace(/^[\s\-–—]+/, "")
        .trim()
    : "";
  const language = header.map((line) => /^Language:[ \t]*([\w-]{2,35})/i.exec(line)?.[1]).find(Boolean);
  return {
    cues: blocks.flatMap(toCues),
    ...(title !== "" && { title }),
    ...(isHeader && language !== undefined && { language }),
  };
}

function toBlocks(text: string): string[][] {
  const blocks: string[][] = [[]];
  for (const line of text.split("\n")) {
    if (line.trim() !== "") blocks.at(-1)?.push(line);
    else if ((blocks.at(-1)?.length ?? 0) > 0) blocks.push([]);
  }
  return blocks;
}

function isTiming(line: string): boolean {
  return timing.test(line);
}

// A block has one caption; damaged files that lack blank lines have several.
function toCues(block: readonly string[]): Cue[] {
  const starts = block.flatMap((line, index) => (isTiming(line) ? [index] : []));
  return starts.map((start, index) => ({
    ...timesOf(block[start] ?? ""),
    lines: toLines(block.slice(start + 1, starts[index + 1])),
  }));
}

function timesOf(line: string): { readonly startMs: number; readonly endMs: number } {
  const numbers = (timing.exec(line) ?? []).slice(1).map((digits) => Number(digits ?? 0));
  const toMs = (at: number): number =>
    (((numbers[at] ?? 0) * 60 + (numbers[at + 1] ?? 0)) * 60 + (numbers[at + 2] ?? 0)) * 1000 + (numbers[at + 3] ?? 0);
  return { startMs: toMs(0), endMs: toMs(4) };
}

function toLines(lines: readonly string[]): readonly CueLine[] {
  return parseCueText(lines.join("\n"));
}
