import type { DatasetFormat, DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "./json-value.ts";
import { type KeyMapping, mapKeys } from "./key-mapping.ts";
import { layouts } from "./layouts/layouts.ts";

/** What a file seems to hold. */
export interface Recognition {
  readonly format: DatasetFormat;
  readonly layout: DatasetLayout;
  /** Share of the rows that have this layout, 0 to 1; halved where keys have to be renamed for it. */
  readonly confidence: number;
  /** The keys that have to be renamed; [] where the file uses the layout's own. */
  readonly mapping: readonly KeyMapping[];
}

/**
 * Recognises the format of rows by their keys; a few hundred rows suffice. Returns the likely layouts, the most likely one
 * first; [] where no row resembles any.
 */
export function recogniseFormat(rows: readonly JsonObject[]): Recognition[] {
  const counts = new Map<string, { layout: DatasetLayout; mapping: readonly KeyMapping[]; count: number }>();
  for (const row of rows) {
    const seen = recogniseRow(row);
    if (!seen) continue;
    const key = JSON.stringify(seen);
    const known = counts.get(key) ?? { ...seen, count: 0 };
    counts.set(key, { ...known, count: known.count + 1 });
  }
  return [...counts.values()]
    .map(({ layout, mapping, count }) => ({
      format: layouts[layout].format,
      layout,
      confidence: (count / rows.length) * (mapping.length > 0 ? 0.5 : 1),
      mapping,
    }))
    .sort((a, b) => b.confidence - a.confidence);
}

/** The layout of one row, under its own keys or under renamed ones. */
export function recogniseRow(
  row: JsonObject,
): { readonly layout: DatasetLayout; readonly mapping: readonly KeyMapping[] } | undefined {
  const own = layoutOf(row);
  if (own && isComplete(row, own)) return { layout: own, mapping: [] };
  const mapping = offerMapping(row);
  const mapped = mapping.length > 0 ? layoutOf(mapKeys(row, mapping)) : undefined;
  if (mapped && (!own || isComplete(mapKeys(row, mapping), mapped))) return { layout: mapped, mapping };
  return own && { layout: own, mapping: [] };
}

function layoutOf(row: JsonObject): DatasetLayout | undefined {
  return Object.values(layouts).find((layout) => layout.matches(row))?.name;
}

const required: Partial<Record<DatasetLayout, readonly string[]>> = {
  alpaca: ["instruction", "output"],
  kto_alpaca: ["instruction", "output"],
  dpo_alpaca: ["instruction", "chosen", "rejected"],
};

function isComplete(row: JsonObject, layout: DatasetLayout): boolean {
  // Without a prompt of its own, TRL's data holds whole conversations.
  if (layout === "dpo_trl") return Object.hasOwn(row, "prompt") || isJsonArray(row["chosen"]);
  return required[layout]?.every((key) => Object.hasOwn(row, key)) ?? true;
}

/** Names in use for the same thing, lower case. The first one that a row has is taken. */
const questionNames = "question query prompt problem user human q input ask 问题 提问 指令 问".split(" ");
const answerNames = "response answer completion reply solution assistant target a output_text 答案 回答 回复 答".split(
  " ",
);
const textNames = ["content", "document", "body", "passage", "raw_content", "article", "正文", "文本", "内容"];
const turnNames = ["conversation", "dialog", "dialogue", "turns", "conversations", "messages", "chat"];
const labelNames = ["label", "kto_tag", "is_good", "thumbs_up"];

function offerMapping(row: JsonObject): KeyMapping[] {
  const keys = Object.keys(row);
  const find = (names: readonly string[]): string | undefined =>
    names.flatMap((name) => keys.find((key) => key.toLowerCase().trim() === name) ?? [])[0];
  const turns = find(turnNames);
  if (turns !== undefined && isJsonArray(row[turns])) return mapTurns(row, turns);
  const question = find(["instruction", ...questionNames]);
  const pair = [find(["chosen", "accepted", "preferred", "positive"]), find(["rejected", "dispreferred", "negative"])];
  if (question !== undefined && pair[0] !== undefined && pair[1] !== undefined)
    return renames([question, "instruction"], [pair[0], "chosen"], [pair[1], "rejected"]);
  const answer = find(["output", ...answerNames]);
  const text = find(["text", ...textNames]);
  if (question === undefined || answer === undefined) return text === undefined ? [] : renames([text, "text"]);
  const label = find(labelNames);
  const names = renames([question, "instruction"], [answer, "output"]);
  return label === undefined ? names : [...names, ...renames([label, "kto_tag"])];
}

function mapTurns(row: JsonObject, key: string): KeyMapping[] {
  const [first] = row[key] as readonly unknown[];
  const isShare = isJsonObject(first as never) && Object.hasOwn(first as object, "from");
  return renames([key, isShare ? "conversations" : "messages"]);
}

const renames = (...pairs: readonly (readonly [from: string, to: string])[]): KeyMapping[] =>
  pairs.filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
