import type { ParseOptions } from "../../overrides/parse-options.ts";

/** The options of a request without overrides, for tests and measurements. */
export const plainOptions: ParseOptions = {
  read: { pages: [], headersFooters: "drop", images: "placeholder" },
  render: {
    outputFormat: "markdown",
    tables: "auto",
    images: "placeholder",
    pageMarkers: false,
    frontMatter: false,
    footnotes: "keep",
    formulas: "latex",
    links: "keep",
  },
  ocr: "auto",
  ocrLanguages: [],
  maxPages: undefined,
  archiveDepth: undefined,
  timeoutMs: undefined,
  fallback: "none",
};
