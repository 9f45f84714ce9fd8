import { collapse } from "./python-text.ts";
import { indelSimilarity } from "./string-distance.ts";

const htmlTable = /<table[^>]*?>[\s\S]*?<\/table>/gi;

/** NID, the likeness of the whole text, and NID-S, without its tables. Both texts have their tables as HTML. */
export function scoreReadingOrder(truth: string, candidate: string): { nid?: number; nidS?: number } {
  if (collapse(truth) === "") return {};
  const withoutTables = (text: string): string => collapse(text.replace(htmlTable, " "));
  const nid = indelSimilarity(collapse(truth), collapse(candidate));
  const hasTable = [truth, candidate].some((text) => text.search(htmlTable) !== -1);
  return { nid, nidS: hasTable ? indelSimilarity(withoutTables(truth), withoutTables(candidate)) : nid };
}
