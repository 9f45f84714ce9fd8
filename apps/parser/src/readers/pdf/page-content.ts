/** What one page shows, in points from the upper left corner of the page as it is shown, before any layout. */
export interface PageContent {
  /** One-based. */
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
  readonly rules: readonly Rule[];
  /** Filled areas and pictures: what may lie under text. */
  readonly backgrounds: readonly Background[];
  readonly images: readonly Box[];
  /** What a tagged file describes in words. */
  readonly figures?: readonly PageFigure[];
  readonly links: readonly PageLink[];
  /** Glyphs left out because no reader of the page sees them. */
  readonly hiddenGlyphCount: number;
  /** Set when a bound on glyphs or paths was hit and the rest was left out. */
  readonly isCut: boolean;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A figure with its alternative text. */
export interface PageFigure extends Box {
  readonly alt: string;
}

/** Quarter turns clockwise of the direction of writing: 0 is upright, 1 runs downwards, 3 upwards; 4 is any slant. */
export type Turn = 0 | 1 | 2 | 3 | 4;

/**
 * One character as drawn. Coordinates are those of the page turned back by `style.turn` quarters, so that every glyph stands
 * upright in its own frame. `left` and `right` include the advance width.
 */
export interface Glyph {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly baseline: number;
  /** A space, drawn or found by its width, stands before this glyph. */
  readonly isAfterSpace: boolean;
  readonly style: TextStyle;
}

/** How a run of glyphs is drawn; shared by the glyphs of the run and equal runs of the page. */
export interface TextStyle {
  readonly fontName: string;
  /** Height of the em in points, transformations applied. */
  readonly size: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isMonospaced: boolean;
  readonly turn: Turn;
  /** Drawn invisibly over a picture: what OCR made of it before. */
  readonly isInvisible?: true;
  /** Level 1–6 when the file tags this run as a heading. */
  readonly taggedLevel?: number;
  /** The element of a tagged file in which this run stands; all runs of the element share the object. */
  readonly tag?: TextTag;
  /** The file says that this run belongs to the page, as running heads do, and not to the text. */
  readonly isArtifact?: true;
}

/** What the structure tree of a file says of a paragraph, a heading, an item of a list or a cell. */
export interface TextTag {
  /** Level 1–6 of a heading. */
  readonly level?: number;
  readonly cell?: TaggedCell;
  /** Set on an item of a list. */
  readonly isItem?: true;
  /** Set on what is written in a figure. */
  readonly isFigure?: true;
}

export interface TaggedCell {
  /** Stands for the table; its cells share it. */
  readonly table: object;
  readonly row: number;
  readonly column: number;
  readonly isHeader: boolean;
  readonly rowSpan: number;
  readonly columnSpan: number;
}

/** A drawn straight line along one of the axes, or a filled rectangle thin enough to be one. */
export interface Rule extends Box {
  readonly isHorizontal: boolean;
}

export interface Background extends Box {
  readonly isDark: boolean;
}

export interface PageLink extends Box {
  readonly target: string;
}

/** An entry of the document's outline (bookmarks). */
export interface OutlineEntry {
  readonly title: string;
  /** From 1. */
  readonly level: number;
  /** One-based; undefined when the entry leads elsewhere. */
  readonly page: number | undefined;
}
