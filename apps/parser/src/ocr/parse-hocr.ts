import { walkXml, type XmlAttributes } from "../xml/walk-xml.ts";

export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface OcrWord extends PixelBox {
  readonly text: string;
  /** From 0 to 100. */
  readonly confidence: number;
}

export interface OcrLine extends PixelBox {
  readonly words: readonly OcrWord[];
  /** In the middle of the line. */
  readonly baseline: number;
  /** Thickness of upright strokes; undefined where it cannot be told. */
  readonly stroke?: number | undefined;
  /** From the feet of letters such as p to the heads of letters such as d. */
  readonly size: number;
}

/** More words than any page holds. */
const maxWords = 100_000;
const maxDepth = 32;

/**
 * The lines of hOCR as Tesseract writes it: `ocr_line` and its kin with `bbox`, `baseline` and `x_size`, and in them `ocrx_word` with
 * `bbox` and `x_wconf` (http://kba.github.io/hocr-spec/1.2/).
 * @throws AppError as `walkXml` does.
 */
export function parseHocr(hocr: string): readonly OcrLine[] {
  const collector = new LineCollector();
  // What stands around the page is a document type declaration and a head.
  const start = hocr.search(/<div[^>]{0,20}class=['"]ocr_page['"]/);
  const end = hocr.lastIndexOf("</div>");
  if (start < 0 || end < start) return [];
  walkXml(hocr.slice(start, end + "</div>".length), collector, { maxDepth });
  return collector.lines;
}

interface OpenLine {
  readonly depth: number;
  readonly title: string;
  readonly words: OcrWord[];
}

const lineClasses = new Set(["ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"]);

class LineCollector {
  readonly lines: OcrLine[] = [];
  #depth = 0;
  #wordCount = 0;
  #line: OpenLine | undefined;
  #word: { readonly depth: number; readonly title: string; text: string } | undefined;

  open(_name: string, attributes: XmlAttributes): void {
    this.#depth++;
    const kind = attributes.get("class") ?? "";
    const title = attributes.get("title") ?? "";
    if (lineClasses.has(kind)) this.#line = { depth: this.#depth, title, words: [] };
    else if (kind === "ocrx_word" && this.#wordCount++ < maxWords) this.#word = { depth: this.#depth, title, text: "" };
  }

  text(text: string): void {
    if (this.#word !== undefined) this.#word.text += text;
  }

  close(): void {
    if (this.#word?.depth === this.#depth) {
      const word = toWord(this.#word.text, this.#word.title);
      if (word !== undefined) this.#line?.words.push(word);
      this.#word = undefined;
    } else if (this.#line?.depth === this.#depth) {
      const line = toLine(this.#line);
      if (line !== undefined) this.lines.push(line);
      this.#line = undefined;
    }
    this.#depth--;
  }
}

function toWord(raw: string, title: string): OcrWord | undefined {
  const text = raw.trim();
  const box = toBox(title);
  if (text === "" || box === undefined) return undefined;
  return { ...box, text, confidence: Math.min(100, Math.max(0, numbersAfter(title, "x_wconf")[0] ?? 0)) };
}

function toLine({ title, words }: OpenLine): OcrLine | undefined {
  const box = toBox(title);
  if (words.length === 0 || box === undefined) return undefined;
  const [slope = 0, offset = 0] = numbersAfter(title, "baseline");
  const height = box.bottom - box.top;
  const size = numbersAfter(title, "x_size")[0] ?? height;
  const baseline = box.bottom + offset + (slope * (box.right - box.left)) / 2;
  return { ...box, words, size: size > 0 ? size : height, baseline };
}

function toBox(title: string): PixelBox | undefined {
  const [left, top, right, bottom] = numbersAfter(title, "bbox");
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined;
  return right > left && bottom > top ? { left, top, right, bottom } : undefined;
}

// `bbox 36 92 580 122; baseline 0.003 -6; x_size 27`
function numbersAfter(title: string, property: string): readonly number[] {
  for (const part of title.split(";")) {
    const [name, ...values] = part.trim().split(" ");
    if (name === property) return values.map(Number).filter(Number.isFinite);
  }
  return [];
}
