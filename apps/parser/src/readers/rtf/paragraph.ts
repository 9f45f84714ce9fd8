import type { Inline } from "../../document/document.ts";
import type { GroupState } from "./group-state.ts";

export type RunFormat = Pick<GroupState, "isBold" | "isItalic" | "script" | "link">;

/** Text of one format, or something that is no text. */
export interface Run {
  readonly format: RunFormat;
  text: string;
  readonly inline?: Inline;
}

/** Adds text to the runs of a paragraph, to the last one when it has the same format. */
export function appendText(runs: Run[], text: string, format: RunFormat): void {
  const last = runs.at(-1);
  if (last !== undefined && last.inline === undefined && isSame(last.format, format)) last.text += text;
  else runs.push({ format: pick(format), text });
}

function pick({ isBold, isItalic, script, link }: RunFormat): RunFormat {
  return { isBold, isItalic, script, link };
}

function isSame(a: RunFormat, b: RunFormat): boolean {
  return a.isBold === b.isBold && a.isItalic === b.isItalic && a.script === b.script && a.link === b.link;
}

/** The runs of a paragraph as inlines; format on nothing but spaces is dropped. `isPlain` drops bold, as headings have it. */
export function toInlines(runs: readonly Run[], isPlain: boolean): Inline[] {
  const inlines: Inline[] = [];
  let at = 0;
  while (at < runs.length) {
    const link = runs[at]?.format.link;
    const end = link === undefined ? at + 1 : linkEnd(runs, at, link);
    const content = runs.slice(at, end).map((run) => toInline(run, isPlain));
    if (link === undefined) inlines.push(...content);
    else inlines.push({ type: "link", target: link, inlines: content });
    at = end;
  }
  return inlines;
}

function linkEnd(runs: readonly Run[], start: number, link: string): number {
  let end = start + 1;
  while (end < runs.length && runs[end]?.format.link === link) end++;
  return end;
}

function toInline({ inline, text, format }: Run, isPlain: boolean): Inline {
  if (inline !== undefined) return inline;
  if (text.trim() === "") return text;
  let result: Inline = text;
  if (format.script !== undefined) result = { type: `${format.script}script`, inlines: [result] };
  if (format.isItalic) result = { type: "emphasis", inlines: [result] };
  if (format.isBold && !isPlain) result = { type: "strong", inlines: [result] };
  return result;
}
