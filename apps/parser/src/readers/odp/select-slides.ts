import { AppError } from "@attune/service-kit/app-error.ts";
import type { OdfElement } from "../../containers/odf-element.ts";
import type { OdfStyles } from "../../containers/odf-styles.ts";
import type { ReadContext } from "../reader.ts";

export interface Slide {
  readonly page: OdfElement;
  /** One-based. */
  readonly number: number;
}

interface Selection {
  readonly styles: OdfStyles;
  readonly context: ReadContext;
}

/**
 * The slides asked for; without a wish, those that are shown.
 * @throws AppError `PAGES_INVALID` when none of those asked for exists.
 */
export function selectSlides(pages: readonly OdfElement[], { styles, context }: Selection): Slide[] {
  const { options, budget } = context;
  const warn = (sentence: string): void => context.warn(sentence);
  const all = pages.map((page, at) => ({ page, number: at + 1 }));
  if (options.pages.length > 0) {
    const wanted = all.filter(({ number }) =>
      options.pages.some(({ first, last }) => first <= number && number <= last),
    );
    if (wanted.length === 0)
      throw new AppError("PAGES_INVALID", { detail: `The presentation has ${pages.length} slides.` });
    return wanted.slice(0, budget.limits.maxPages);
  }
  const shown = all.filter(({ page }) =>
    styles.isShown("drawing-page", page.get("draw:style-name"), [
      "style:drawing-page-properties",
      "presentation:visibility",
    ]),
  );
  if (shown.length < all.length) {
    const hidden = all.filter((slide) => !shown.includes(slide)).map(({ number }) => number);
    warn(`Hidden slides were left out: ${hidden.slice(0, 50).join(", ")}. Ask for them with \`pages\`.`);
  }
  if (shown.length > budget.limits.maxPages)
    warn(`Only the first ${budget.limits.maxPages} of ${shown.length} slides were read (max_pages, PARSER_MAX_PAGES).`);
  return shown.slice(0, budget.limits.maxPages);
}
