/** Left, top, right, bottom. */
export type Corners = readonly [number, number, number, number];
type Point = readonly [number, number];

export interface BoxLook {
  readonly fill?: string;
  readonly stroke?: string;
  /** Of the fill; the stroke is drawn in full. */
  readonly opacity?: number;
  readonly width?: number;
  readonly dashes?: string;
}

export interface TextLook {
  readonly size?: number;
  readonly colour?: string;
}

/** Shapes and letters beyond which a picture is of no use, and which bound it to a few megabytes. */
const maxElements = 25_000;
/** No page is larger; a picture of a page that says so is cut there. */
const maxSide = 20_000;

/** Writes the shapes of an SVG 1.1 file. Whatever comes from a document is escaped, and numbers are bounded. */
export class SvgWriter {
  readonly #shapes: string[] = [];
  readonly #size: { readonly width: number; readonly height: number };
  isFull = false;

  constructor(size: { readonly width: number; readonly height: number }) {
    this.#size = size;
  }

  /** @param tooltip Shown by browsers while the pointer rests on the box. */
  box([left, top, right, bottom]: Corners, look: BoxLook, tooltip?: string): void {
    const { fill = "none", stroke = "none", opacity = 1, width = 0.5, dashes } = look;
    const place = `x="${at(left)}" y="${at(top)}" width="${at(right - left)}" height="${at(bottom - top)}"`;
    const dashed = dashes === undefined ? "" : ` stroke-dasharray="${dashes}"`;
    const paint = `fill="${fill}" fill-opacity="${opacity}" stroke="${stroke}" stroke-width="${width}"${dashed}`;
    this.#add(
      tooltip === undefined
        ? `<rect ${place} ${paint}/>`
        : `<rect ${place} ${paint}><title>${escape(tooltip)}</title></rect>`,
    );
  }

  text([x, y]: Point, text: string, { size = 8, colour = "#000" }: TextLook): void {
    this.#add(`<text x="${at(x)}" y="${at(y)}" font-size="${at(size)}" fill="${colour}">${escape(text)}</text>`);
  }

  arrow([x1, y1]: Point, [x2, y2]: Point, colour: string): void {
    const ends = `x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"`;
    this.#add(`<line ${ends} stroke="${colour}" stroke-width="1.6" marker-end="url(#head)"/>`);
  }

  badge([x, y]: Point, text: string, colour: string): void {
    this.#add(`<circle cx="${at(x + 7)}" cy="${at(y + 7)}" r="8" fill="${colour}"/>`);
    this.#add(`<text x="${at(x + 7)}" y="${at(y + 10)}" font-size="9" text-anchor="middle">${escape(text)}</text>`);
  }

  /** A line of the legend, with a square of its colour; drawn however full the picture is. */
  legend([x, y]: Point, text: string, { size = 9, colour }: TextLook): void {
    if (colour !== undefined) {
      const square = `<rect x="${at(x)}" y="${at(y - 8)}" width="10" height="10" fill="${colour}"/>`;
      this.#shapes.push(square);
    }
    const left = colour === undefined ? x : x + 16;
    this.#shapes.push(`<text x="${at(left)}" y="${at(y)}" font-size="${at(size)}">${escape(text)}</text>`);
  }

  toString(): string {
    const [width, height] = [at(this.#size.width), at(this.#size.height)];
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="#f9a825"/></marker></defs>
${this.#shapes.join("\n")}
</svg>
`;
  }

  #add(shape: string): void {
    if (this.#shapes.length < maxElements) this.#shapes.push(shape);
    else this.isFull = true;
  }
}

function at(value: number): string {
  const bounded = Number.isFinite(value) ? Math.max(-maxSide, Math.min(maxSide, value)) : 0;
  return String(Math.round(bounded * 10) / 10);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it may stand in XML 1.0: markup escaped, characters that no XML may hold replaced. */
function escape(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
