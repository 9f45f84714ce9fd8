/** The common overrides that change what is read of a file, rather than how its text is written. */
export const readingKeys = [
  "pages",
  "max_pages",
  "password",
  "ocr",
  "ocr_languages",
  "headers_footers",
  "quoted_text",
  "boilerplate",
  "encoding",
  "archive_depth",
] as const;

export type ReadingKey = (typeof readingKeys)[number];
