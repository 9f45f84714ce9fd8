import type { Block } from "../../../document/document.ts";
import type { ExplainOptions } from "../../reader.ts";
import type { ObservedPage } from "../layout/observed-page.ts";
import type { PageContent } from "../page-content.ts";
import { findRoles } from "./find-roles.ts";
import { renderSketch } from "./render-sketch.ts";

/** Gathers what the steps of reading decided about one page, and reports it as a picture. */
export class PageSketch {
  readonly #options: ExplainOptions;
  #content: PageContent | undefined;
  #layout: ObservedPage | undefined;

  constructor(options: ExplainOptions) {
    this.#options = options;
  }

  addContent(content: PageContent): void {
    if (content.number === this.#options.page) this.#content = content;
  }

  readonly addLayout = (layout: ObservedPage): void => {
    if (layout.page.number === this.#options.page) this.#layout = layout;
  };

  /** Reports the picture, given the blocks of the whole document; nothing when the page was not read. */
  finish(blocks: readonly Block[]): void {
    if (this.#content === undefined) return;
    const roles = this.#layout === undefined ? [] : findRoles(this.#layout, blocks);
    this.#options.report(renderSketch(this.#content, this.#layout, roles));
  }
}
