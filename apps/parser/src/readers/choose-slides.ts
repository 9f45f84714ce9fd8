import { AppError } from "@attune/service-kit/app-error.ts";
import type { ReadContext } from "./reader.ts";

/**
 * Numbers, counted from one, of the slides to read of so many, or of the pages of a drawing.
 * @throws AppError `PAGES_INVALID` when there are none.
 */
export function chooseSlides(
  count: number,
  context: ReadContext,
  whole: "presentation" | "drawing" = "presentation",
): number[] {
  const parts = whole === "presentation" ? "slides" : "pages";
  const { pages } = context.options;
  const isWanted = (number: number): boolean =>
    pages.length === 0 || pages.some(({ first, last }) => number >= first && number <= last);
  const wanted = Array.from({ length: count }, (_, index) => index + 1).filter(isWanted);
  if (wanted.length === 0 && count > 0) {
    throw new AppError("PAGES_INVALID", { detail: `The ${whole} has ${count} ${parts}.` });
  }
  const { maxPages } = context.budget.limits;
  if (wanted.length > maxPages)
    context.warn(`Only the first ${maxPages} ${parts} were read (max_pages, PARSER_MAX_PAGES).`);
  return wanted.slice(0, maxPages);
}
