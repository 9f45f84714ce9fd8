/**
 * The document model: what readers produce and renderers consume.
 *
 * All text is Unicode in NFC, without soft hyphens, control characters (but tab and newline in code) or lone surrogates;
 * `normaliseDocument` makes it so, so that readers need not.
 */
export interface Document {
  readonly metadata: Metadata;
  readonly blocks: readonly Block[];
}

/** What the file says about itself. Dates are ISO 8601. */
export interface Metadata {
  readonly title?: string;
  readonly authors?: readonly string[];
  readonly subject?: string;
  readonly keywords?: readonly string[];
  /** BCP 47. */
  readonly language?: string;
  readonly createdAt?: string;
  readonly modifiedAt?: string;
  /** Pages, slides or sheets in the whole file, whichever the format has. */
  readonly pageCount?: number;
}

/** Where a block stands in the file. */
export interface BlockSource {
  /** One-based page, slide or sheet. */
  readonly page: number;
  /** Left, top, right, bottom in points, from the upper left corner of the page as it is shown. */
  readonly box?: readonly [number, number, number, number];
}

interface BlockBase {
  readonly source?: BlockSource;
}

export interface Heading extends BlockBase {
  readonly type: "heading";
  /** From 1 (outermost). Levels over 6 are allowed in the model; renderers show them as 6. */
  readonly level: number;
  readonly inlines: readonly Inline[];
}

export interface Paragraph extends BlockBase {
  readonly type: "paragraph";
  readonly inlines: readonly Inline[];
}

export interface List extends BlockBase {
  readonly type: "list";
  readonly ordered: boolean;
  /** Number of the first item of an ordered list; 1 when absent. */
  readonly start?: number;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly blocks: readonly Block[];
  /** Present on items of a task list. */
  readonly isChecked?: boolean;
}

export interface Table extends BlockBase {
  readonly type: "table";
  readonly rows: readonly TableRow[];
  /** How many of the first rows are headers. */
  readonly headerRowCount: number;
  readonly caption?: readonly Inline[];
}

/** Cells that stand in this row; a place covered by a span from above or from the left has no cell. */
export type TableRow = readonly TableCell[];

/** A plain string is a cell of one line of text that spans nothing, which keeps large sheets small. */
export type TableCell = string | RichCell;

export interface RichCell {
  readonly blocks: readonly Block[];
  /** Rows and columns covered, at least 1; 1 when absent. */
  readonly rowSpan?: number;
  readonly columnSpan?: number;
  /** Set on a cell that heads its row. Cells of header rows need no mark. */
  readonly isRowHeader?: boolean;
}

export interface Code extends BlockBase {
  readonly type: "code";
  readonly text: string;
  /** Lower-case name as used after a Markdown fence: `python`, `json`. */
  readonly language?: string;
}

export interface FormulaBlock extends BlockBase {
  readonly type: "formula";
  readonly notation: FormulaNotation;
  readonly text: string;
}

export interface ImageBlock extends BlockBase, ImageContent {
  readonly type: "image";
  readonly caption?: readonly Inline[];
}

export interface Quote extends BlockBase {
  readonly type: "quote";
  readonly blocks: readonly Block[];
}

/** The text of a note; `InlineNoteReference` with the same id marks where it belongs. */
export interface Footnote extends BlockBase {
  readonly type: "footnote";
  readonly id: string;
  readonly blocks: readonly Block[];
}

/** Stands before the first block of the page it names. */
export interface PageBreak extends BlockBase {
  readonly type: "pageBreak";
  /** One-based number of the page that begins here. */
  readonly number: number;
}

export type Block =
  | Heading
  | Paragraph
  | List
  | Table
  | Code
  | FormulaBlock
  | ImageBlock
  | Quote
  | Footnote
  | PageBreak;

export type FormulaNotation = "latex" | "text";

export interface ImageContent {
  /** Alternative text; empty when the file gives none. */
  readonly alt: string;
  /** An address found in the file (`https://…`), or a name inside it (`media/image1.png`). */
  readonly reference?: string;
  /** The picture itself; readers attach it only when `ReadOptions.images` is `data_uri`. */
  readonly data?: ImageData;
}

export interface ImageData {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A plain string is a run of text. Spaces count: runs join without any space between them. */
export type Inline =
  | string
  | { readonly type: "strong" | "emphasis" | "superscript" | "subscript"; readonly inlines: readonly Inline[] }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "link"; readonly target: string; readonly inlines: readonly Inline[] }
  | { readonly type: "formula"; readonly notation: FormulaNotation; readonly text: string }
  | ({ readonly type: "image" } & ImageContent)
  | { readonly type: "noteReference"; readonly id: string }
  | { readonly type: "lineBreak" };
