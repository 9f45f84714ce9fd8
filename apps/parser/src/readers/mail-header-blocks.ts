import type { Block } from "../document/document.ts";

/** What a mail program shows above a message: its subject as heading, then a list of `label: value`. Empty values are left out. */
export function mailHeaderBlocks(subject: string, lines: readonly (readonly [string, string])[]): Block[] {
  const items = lines
    .filter(([, value]) => value !== "")
    .map(([label, value]) => ({
      blocks: [
        { type: "paragraph" as const, inlines: [{ type: "strong" as const, inlines: [`${label}:`] }, ` ${value}`] },
      ],
    }));
  return [
    ...(subject === "" ? [] : [{ type: "heading" as const, level: 1, inlines: [subject] }]),
    ...(items.length === 0 ? [] : [{ type: "list" as const, ordered: false, items }]),
  ];
}
