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
  /** Level 1–6 when the file tags this run as a heading. */
  readonly taggedLevel?: number;
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
