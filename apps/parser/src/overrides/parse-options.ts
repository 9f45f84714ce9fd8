import type { RenderOptions } from "../document/render/render-options.ts";
import type { ReadOptions } from "../readers/reader.ts";

/** The common overrides of one request, validated, with defaults filled in. */
export interface ParseOptions {
  readonly read: ReadOptions;
  readonly render: RenderOptions;
  readonly ocr: "auto" | "always" | "never";
  /** Tesseract names, for example `eng`, `chi_sim`. */
  readonly ocrLanguages: readonly string[];
  readonly maxPages: number | undefined;
  readonly archiveDepth: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly fallback: "none" | "auto";
  /** Gives, instead of the text, a picture of what layout decided about this page (one-based). No override sets it. */
  readonly explainPage?: number;
}
