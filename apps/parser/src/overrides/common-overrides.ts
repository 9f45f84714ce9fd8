import {
  footnoteStyles,
  formulaStyles,
  imageStyles,
  linkStyles,
  outputFormats,
  tableStyles,
} from "../document/render/render-options.ts";
import { choice, flag, integer, matching, type Override, type OverrideSet, secret } from "./override.ts";
import { parsePageRanges } from "./page-ranges.ts";
import type { PageRange } from "../readers/reader.ts";

const pages: Override<readonly PageRange[]> = {
  description: "Which pages, slides or sheets to read; the rest is left out.",
  allowed: "one-based numbers and ranges with commas: 1-3,7,12-",
  fallback: [],
  isSecret: false,
  isAddress: false,
  parse: parsePageRanges,
};

const ocrLanguages: Override<readonly string[]> = {
  description: "Languages of pictures of text, as Tesseract names them.",
  allowed: "names joined by +: eng+chi_sim",
  fallback: ["eng"],
  isSecret: false,
  isAddress: false,
  parse: (text) => (/^[a-z_]{3,16}(\+[a-z_]{3,16}){0,7}$/i.test(text.trim()) ? text.trim().split("+") : undefined),
};

/** The keys that every engine understands. */
export const commonOverrides = {
  output_format: choice(
    outputFormats,
    "markdown",
    "How the text is written. `json` is the document model, with pages and boxes where known.",
  ),
  pages,
  password: secret("Opens a protected document."),
  ocr: choice(
    ["auto", "always", "never"],
    "auto",
    "When OCR reads: pages and files without text of their own or none that makes sense, always (then pictures inside office files too), or never.",
  ),
  ocr_languages: ocrLanguages,
  tables: choice(
    tableStyles,
    "auto",
    "How tables stand in Markdown: `auto` uses HTML only where GFM cannot express merged cells or blocks in cells.",
  ),
  images: choice(
    imageStyles,
    "placeholder",
    "What stands for a picture: nothing, its alternative text, or the picture itself.",
  ),
  page_markers: flag(false, "Whether a line names each page, slide or sheet that begins."),
  front_matter: flag(false, "Whether title, authors, dates and the like stand before the text as YAML."),
  headers_footers: choice(["drop", "keep"], "drop", "Running heads and feet of pages, page numbers included."),
  quoted_text: choice(
    ["keep", "drop"],
    "keep",
    "Earlier messages that a message quotes, and signatures of mail; what is left out is told with its number of words.",
  ),
  boilerplate: choice(
    ["keep", "drop"],
    "keep",
    "Navigation, heads and feet, cookie notices and advertisements of web pages; what is left out is told with its number of words.",
  ),
  footnotes: choice(footnoteStyles, "keep", "Footnotes and endnotes."),
  formulas: choice(
    formulaStyles,
    "latex",
    "How formulas are written: as LaTeX between dollar signs, as bare text, or not.",
  ),
  links: choice(linkStyles, "keep", "Whether links keep their address or only their words."),
  encoding: matching(
    /^[\w.:-]{2,40}$/,
    "an encoding label such as gb18030 or windows-1251",
    "Encoding of a text file, whatever it says itself.",
  ),
  archive_depth: integer({ min: 0, max: 10 }, "How deep files inside files are read; 0 reads only the file itself."),
  max_pages: integer({ min: 1, max: 1_000_000 }, "Read no more pages, slides or sheets than this."),
  timeout_ms: integer({ min: 100, max: 3_600_000 }, "Wall-clock time for parsing, up to the limit of the service."),
  fallback: choice(
    ["none", "auto"],
    "none",
    "What happens when the engine named is not available or fails: nothing, or the best other engine, which `message` names.",
  ),
} as const satisfies OverrideSet;
