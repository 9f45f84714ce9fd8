export const outputFormats = ["markdown", "text", "html", "json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const tableStyles = ["auto", "markdown", "html"] as const;
export type TableStyle = (typeof tableStyles)[number];

export const imageStyles = ["placeholder", "none", "data_uri"] as const;
export type ImageStyle = (typeof imageStyles)[number];

export const footnoteStyles = ["keep", "drop"] as const;
export type FootnoteStyle = (typeof footnoteStyles)[number];

export const formulaStyles = ["latex", "text", "drop"] as const;
export type FormulaStyle = (typeof formulaStyles)[number];

export const linkStyles = ["keep", "text"] as const;
export type LinkStyle = (typeof linkStyles)[number];

/** How a document is written out. */
export interface RenderOptions {
  readonly outputFormat: OutputFormat;
  /** `auto`: GFM where it can say what the table says, HTML where spans or blocks in cells need it. */
  readonly tables: TableStyle;
  /** `placeholder`: alternative text and reference, no data. */
  readonly images: ImageStyle;
  /** Whether a line names each page, slide or sheet that begins. */
  readonly pageMarkers: boolean;
  /** Whether the metadata stand before the text as YAML. */
  readonly frontMatter: boolean;
  readonly footnotes: FootnoteStyle;
  readonly formulas: FormulaStyle;
  /** `text`: the words of a link without its address. */
  readonly links: LinkStyle;
}
