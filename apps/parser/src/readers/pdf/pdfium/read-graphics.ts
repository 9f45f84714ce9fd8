import type { Background, Box, PageFigure, Rule } from "../page-content.ts";
import { identity, type Matrix, multiply, type PageFrame, transformBox } from "./page-frame.ts";
import type { Pdfium } from "./pdfium.ts";
import type { Alternative } from "./read-tags.ts";
import { createPathReader, maxRuleThickness, minRuleLength } from "./read-path.ts";

export interface Graphics {
  readonly rules: readonly Rule[];
  readonly backgrounds: readonly Background[];
  readonly images: readonly Box[];
  readonly figures: readonly PageFigure[];
  readonly isCut: boolean;
}

/** FPDF_PAGEOBJ_*, fpdf_edit.h. */
const objectType = { path: 2, image: 3, shading: 4, form: 5 };
/** Objects looked at on one page, those inside forms included. */
const maxObjects = 30_000;
const maxFormDepth = 4;
/** Rules, and areas, kept of one page. */
const maxShapes = 4000;

export interface GraphicsSetting {
  readonly frame: PageFrame;
  /** Alternative texts of figures by marked-content identifiers. */
  readonly alternatives: ReadonlyMap<number, Alternative>;
}

/** Straight lines, filled areas and pictures of a page, forms opened. */
export function readGraphics(pdfium: Pdfium, page: number, setting: GraphicsSetting): Graphics {
  const walker = new GraphicsWalker(pdfium, setting);
  const { raw } = pdfium;
  walker.walk(
    { count: raw._FPDFPage_CountObjects(page), at: (index) => raw._FPDFPage_GetObject(page, index) },
    identity,
    0,
  );
  return walker;
}

interface ObjectList {
  readonly count: number;
  readonly at: (index: number) => number;
}

class GraphicsWalker implements Graphics {
  readonly rules: Rule[] = [];
  readonly backgrounds: Background[] = [];
  readonly images: Box[] = [];
  isCut = false;
  readonly #pdfium: Pdfium;
  readonly #frame: PageFrame;
  readonly #alternatives: GraphicsSetting["alternatives"];
  readonly #figureBoxes = new Map<Alternative, Box>();
  readonly #readPath: ReturnType<typeof createPathReader>;
  #left = maxObjects;

  constructor(pdfium: Pdfium, { frame, alternatives }: GraphicsSetting) {
    this.#pdfium = pdfium;
    this.#frame = frame;
    this.#alternatives = alternatives;
    this.#readPath = createPathReader(pdfium);
  }

  walk(objects: ObjectList, placement: Matrix, depth: number): void {
    for (let index = 0; index < objects.count; index++) {
      if (this.#left-- <= 0) {
        this.isCut = true;
        return;
      }
      this.#look(objects.at(index), placement, depth);
    }
  }

  #look(object: number, placement: Matrix, depth: number): void {
    const { raw } = this.#pdfium;
    const type = raw._FPDFPageObj_GetType(object);
    // Most objects are text, which is read elsewhere.
    const toShown = () => multiply(placement, this.#frame.matrix);
    if (this.#alternatives.size > 0) this.#noteFigure(object, toShown());
    if (type === objectType.path) this.#addPath(object, toShown());
    else if (type === objectType.image) this.#addArea(object, toShown(), this.images);
    else if (type === objectType.shading) this.#addArea(object, toShown());
    else if (type === objectType.form && depth < maxFormDepth) {
      const inner = {
        count: raw._FPDFFormObj_CountObjects(object),
        at: (index: number) => raw._FPDFFormObj_GetObject(object, index),
      };
      this.walk(inner, multiply(this.#matrixOf(object), placement), depth + 1);
    }
  }

  get figures(): PageFigure[] {
    return [...this.#figureBoxes].map(([{ alt }, box]) => ({ alt, ...box }));
  }

  #noteFigure(object: number, toShown: Matrix): void {
    const figure = this.#alternatives.get(this.#pdfium.raw._FPDFPageObj_GetMarkedContentID(object));
    const box = figure && this.#boundsOf(object, toShown);
    if (figure === undefined || box === undefined) return;
    const known = this.#figureBoxes.get(figure);
    this.#figureBoxes.set(figure, known === undefined ? box : unite(known, box));
  }

  #addPath(object: number, toShown: Matrix): void {
    const path = this.#readPath(object, toShown);
    if (path === undefined) return;
    if (this.rules.length < maxShapes) for (const rule of path.rules) this.rules.push(rule);
    if (path.background !== undefined && this.backgrounds.length < maxShapes) this.backgrounds.push(path.background);
  }

  // Nobody knows the colours of pictures and shadings; text on them counts as seen.
  #addArea(object: number, toShown: Matrix, list?: Box[]): void {
    const box = this.#boundsOf(object, toShown);
    if (box === undefined) return;
    const width = box.right - box.left;
    const height = box.bottom - box.top;
    // Some producers draw lines as pictures one pixel high.
    if (Math.min(width, height) <= maxRuleThickness) {
      if (Math.max(width, height) >= minRuleLength) this.rules.push({ ...box, isHorizontal: width > height });
      return;
    }
    if (this.backgrounds.length >= maxShapes) return;
    list?.push(box);
    this.backgrounds.push({ ...box, isDark: true });
  }

  #boundsOf(object: number, toShown: Matrix): Box | undefined {
    const cell = (index: number) => this.#pdfium.cell(index);
    if (this.#pdfium.raw._FPDFPageObj_GetBounds(object, cell(0), cell(1), cell(2), cell(3)) === 0) return undefined;
    const bounds = {
      left: this.#pdfium.float(0),
      top: this.#pdfium.float(1),
      right: this.#pdfium.float(2),
      bottom: this.#pdfium.float(3),
    };
    const box = transformBox(toShown, bounds);
    return Number.isFinite(box.left + box.top + box.right + box.bottom) ? box : undefined;
  }

  #matrixOf(object: number): Matrix {
    if (this.#pdfium.raw._FPDFPageObj_GetMatrix(object, this.#pdfium.scratch) === 0) return identity;
    const at = (index: number) => this.#pdfium.float(index);
    return [at(0), at(1), at(2), at(3), at(4), at(5)];
  }
}

function unite(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}
