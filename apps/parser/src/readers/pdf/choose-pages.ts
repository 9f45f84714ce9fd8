import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadContext } from "../reader.ts";

/**
 * One-based numbers of the pages to read: those asked for that exist, up to the limit of pages.
 * @throws AppError `DOCUMENT_CORRUPT` for a file without pages, `PAGES_INVALID` when none of those asked for exists.
 */
export function choosePages(pageCount: number, context: ReadContext): number[] {
  if (pageCount <= 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no pages." });
  const { options, budget } = context;
  const { maxPages } = budget.limits;
  const ranges = options.pages.length > 0 ? options.pages : [{ first: 1, last: pageCount }];
  const numbers: number[] = [];
  let wanted = 0;
  for (const { first, last } of ranges) {
    const end = Math.min(last, pageCount);
    wanted += Math.max(0, end - first + 1);
    for (let number = first; number <= end && numbers.length < maxPages; number++) numbers.push(number);
  }
  if (numbers.length === 0) throw new AppError("PAGES_INVALID", { detail: `It has ${pageCount} pages.` });
  if (wanted > numbers.length)
    context.warn(`Only the first ${maxPages} of ${wanted} pages were read (max_pages, PARSER_MAX_PAGES).`);
  return numbers;
}
