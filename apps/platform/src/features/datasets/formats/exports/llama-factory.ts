import type { DatasetLayout } from "@attune/contracts/rest/dataset-formats.ts";
import type { JsonObject } from "../json-value.ts";
import { layouts } from "../layouts/layouts.ts";
import type { DatasetExport, ExportFile, ExportSplit } from "./export-file.ts";
import { writeJsonl } from "./write-jsonl.ts";

/** The layouts that LLaMA-Factory reads. */
export const llamaFactoryLayouts = [
  "alpaca",
  "sharegpt",
  "dpo_alpaca",
  "dpo_sharegpt",
  "kto_alpaca",
  "kto_sharegpt",
  "cpt",
] as const satisfies readonly DatasetLayout[];
export type LlamaFactoryLayout = (typeof llamaFactoryLayouts)[number];

interface LlamaFactoryOptions {
  /** Name of the dataset in `dataset_info.json`; characters other than letters, digits, "_" and "-" become "_". */
  readonly name: string;
  readonly layout: LlamaFactoryLayout;
  readonly splits: readonly ExportSplit[];
}

/** `dataset_info.json` and one JSONL file for each split, as LLaMA-Factory's `dataset_dir` has them. */
export function exportLlamaFactory({ name, layout, splits }: LlamaFactoryOptions): DatasetExport {
  const datasetName = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_") || "dataset";
  const parts = splits.map((split) => {
    const key = splits.length === 1 ? datasetName : `${datasetName}_${split.name}`;
    return { key, path: `${key}.jsonl`, writer: writeJsonl(split.examples, { layout }) };
  });
  const info = Object.fromEntries(parts.map(({ key, path }) => [key, datasetEntry(layout, path)]));
  const infoFile: ExportFile = {
    path: "dataset_info.json",
    chunks: async function* () {
      yield `${JSON.stringify(info, null, 2)}\n`;
    },
  };
  return {
    files: [infoFile, ...parts.map(({ path, writer }) => ({ path, chunks: writer.chunks }))],
    counts: () => Object.fromEntries(parts.map(({ path, writer }) => [path, writer.counts()])),
  };
}

/**
 * The entry of `dataset_info.json`. It names every column and every tag that is used: as soon as one is named, LLaMA-Factory
 * forgets its defaults for all others. OpenAI's formatting is never asked for, since its converter adds words of its own to
 * the system prompt.
 */
export function datasetEntry(layout: LlamaFactoryLayout, fileName: string): JsonObject {
  const isShare = layout.endsWith("sharegpt");
  const isRanking = layouts[layout].kind === "dpo";
  return {
    file_name: fileName,
    formatting: isShare ? "sharegpt" : "alpaca",
    ...(isRanking ? { ranking: true } : {}),
    columns: columnsOf(layout, isShare),
    ...(isShare ? { tags: shareTags } : {}),
  };
}

function columnsOf(layout: LlamaFactoryLayout, isShare: boolean): JsonObject {
  if (layout === "cpt") return { prompt: "text" };
  const answer = {
    ...(layouts[layout].kind === "dpo" ? { chosen: "chosen", rejected: "rejected" } : {}),
    ...(layouts[layout].kind === "kto" ? { kto_tag: "kto_tag" } : {}),
  };
  if (isShare) return { messages: "conversations", system: "system", tools: "tools", ...answer };
  const response = layouts[layout].kind === "dpo" ? {} : { response: "output" };
  return { prompt: "instruction", query: "input", ...response, system: "system", history: "history", ...answer };
}

const shareTags: JsonObject = {
  role_tag: "from",
  content_tag: "value",
  user_tag: "human",
  assistant_tag: "gpt",
  observation_tag: "observation",
  function_tag: "function_call",
  system_tag: "system",
};
