import { AppError } from "@attune/service-kit/app-error.ts";
import type { OcrOptions, ReadContext } from "../../reader.ts";
import { pagesInWords } from "../pages-in-words.ts";

/** Why a page is read from its picture. */
export type OcrCause = "picture" | "garbled" | "stamped" | "asked";

/** What came of it. */
export type OcrEnd =
  | { readonly kind: "read"; readonly cause: OcrCause }
  /** Nothing was found, or less than the page's own text says. */
  | { readonly kind: "empty"; readonly cause: OcrCause }
  | { readonly kind: "timeout"; readonly cause: OcrCause }
  /** Why, and what to do. */
  | { readonly kind: "failed" | "impossible"; readonly cause: OcrCause; readonly detail: string }
  | { readonly kind: "unwanted" };

const causes: Readonly<Record<OcrCause, string>> = {
  picture: "no text layer",
  garbled: "text layer unreadable",
  stamped: "a scan with hardly any text of its own",
  asked: "OCR wanted for every page",
};

/** The account of a document's OCR, for its warnings. */
export class OcrAccount {
  readonly #languages: string;
  readonly #pages = new Map<string, number[]>();
  readonly #ends = new Map<OcrEnd["kind"], OcrEnd>();
  readonly #unread: number[] = [];
  #unreadPictures = 0;
  #isPicture: boolean;

  constructor({ languages }: Pick<OcrOptions, "languages">, isPicture: boolean) {
    this.#languages = languages.join("+");
    this.#isPicture = isPicture;
  }

  add(page: number, end: OcrEnd): void {
    if (!this.#ends.has(end.kind)) this.#ends.set(end.kind, end);
    this.note(page, this.#sentenceOf(end));
  }

  /** Tells something of a page. */
  note(page: number, sentence: string): void {
    const pages = this.#pages.get(sentence);
    if (pages === undefined) this.#pages.set(sentence, [page]);
    else pages.push(page);
  }

  /** Counts the pictures of a page whose own text is used. */
  addUnread(page: number, pictures: number): void {
    if (pictures > 0) this.#unread.push(page);
    this.#unreadPictures += pictures;
  }

  tell(context: ReadContext): void {
    for (const [sentence, pages] of this.#pages) context.warn(`${pagesInWords(pages)}: ${sentence}`);
    if (this.#unread.length === 0) return;
    const [what, them] =
      this.#unreadPictures === 1
        ? ["1 picture beside text was", "it"]
        : [`${this.#unreadPictures} pictures beside text were`, "them"];
    const remedy = `should there be text in ${them}, the override ocr=always reads the pages as they look`;
    context.warn(`${pagesInWords(this.#unread)}: ${what} not read by OCR; ${remedy}`);
  }

  /** Why nothing at all was read of pages that are pictures; undefined when OCR is not to blame. */
  failure(): AppError | undefined {
    const impossible = this.#ends.get("impossible");
    if (impossible?.kind === "impossible")
      return new AppError("OCR_UNAVAILABLE", { detail: `${capital(impossible.detail)}.` });
    if (this.#ends.has("timeout")) return new AppError("PARSE_TIMEOUT");
    const failed = this.#ends.get("failed");
    if (failed?.kind === "failed") return new AppError("ENGINE_FAILED", { detail: failed.detail });
    if (this.#ends.has("unwanted")) return new AppError("TEXT_NOT_FOUND", { detail: "The override `ocr` is never." });
    if (this.#ends.has("empty"))
      return new AppError("TEXT_NOT_FOUND", { detail: `OCR found no text in it (${this.#languages}).` });
    return undefined;
  }

  #sentenceOf(end: OcrEnd): string {
    if (end.kind === "unwanted") return "no text layer, only pictures, which were not read (the override ocr is never)";
    const why = this.#isPicture ? "a picture" : causes[end.cause];
    switch (end.kind) {
      case "read":
        return `${why}, OCR used (${this.#languages})`;
      case "empty":
        return `${why}, and OCR found no text (${this.#languages})`;
      case "timeout":
        return `${why}, and the time allowed was spent before OCR was done`;
      case "failed":
      case "impossible":
      default:
        return `${why}, and not read by OCR: ${end.detail}`;
    }
  }
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
