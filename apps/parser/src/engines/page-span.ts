import type { ParseOptions } from "../overrides/parse-options.ts";

/** One-based, both included. */
export interface PageSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * `pages` and `max_pages` as the one span of pages that a service takes; of several ranges it is what reaches around them all,
 * and a warning says so.
 */
export function toPageSpan(
  engine: string,
  { read, maxPages }: ParseOptions,
): { readonly span: PageSpan | undefined; readonly warnings: readonly string[] } {
  const { pages } = read;
  if (pages.length === 0 && maxPages === undefined) return { span: undefined, warnings: [] };
  const first = pages[0]?.first ?? 1;
  const last = pages.at(-1)?.last ?? Number.MAX_SAFE_INTEGER;
  if (pages.length > 1) {
    const warning = `${engine} takes one range of pages: it was asked for ${first}-${last}, with the pages between.`;
    const ignored = maxPages === undefined ? [] : [`${engine} ignores the override max_pages.`];
    return { span: { first, last }, warnings: [warning, ...ignored] };
  }
  return { span: { first, last: Math.min(last, first + (maxPages ?? last) - 1) }, warnings: [] };
}
