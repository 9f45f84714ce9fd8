import type { GrayPicture } from "../../../ocr/gray-picture.ts";
import { type PictureText, readPicture } from "../../../ocr/read-picture.ts";
import type { OcrOptions, ReadContext } from "../../reader.ts";
import { countLetters } from "../count-letters.ts";
import { GarbleMeter } from "../garbled-text.ts";
import type { Box, PageContent } from "../page-content.ts";
import { OcrAccount, type OcrCause } from "./ocr-account.ts";
import { isStampedScan } from "./stamped-scan.ts";
import { toPageContent } from "./to-page-content.ts";

/** Pages read with less confidence than this, of 100, are named. */
const doubtfulConfidence = 60;
/** With less than this, a garbled text layer is no worse. */
const leastConfidence = 45;
const noOcr: OcrOptions = { when: "never", languages: [] };

/** Reads pages from their pictures where their text layer does not serve, and keeps the account of it. */
export class ScanReader {
  readonly #context: ReadContext;
  readonly #options: OcrOptions;
  readonly #account: OcrAccount;
  /** Why OCR is not possible for this document. */
  #obstacle: string | undefined;

  constructor(context: ReadContext, isPicture = false) {
    this.#context = context;
    this.#options = context.options.ocr ?? noOcr;
    this.#account = new OcrAccount(this.#options, isPicture);
  }

  /** Why a page is to be read from its picture; undefined when its text layer serves. */
  causeOf(page: PageContent): OcrCause | undefined {
    const { when } = this.#options;
    if (when === "always") return "asked";
    if (page.glyphs.length === 0) return "picture";
    if (when === "never") return undefined;
    if (new GarbleMeter(page.glyphs).isGarbled) return "garbled";
    return isStampedScan(page) ? "stamped" : undefined;
  }

  /** Whether `prepare` must be awaited before the next page is read. */
  get mustPrepare(): boolean {
    const { recogniser } = this.#context;
    const isPossible = recogniser !== undefined && this.#options.when !== "never" && this.#obstacle === undefined;
    return isPossible && !recogniser.isReady;
  }

  async prepare(): Promise<void> {
    const { recogniser } = this.#context;
    this.#obstacle = await recogniser?.prepare(this.#options.languages);
    if (recogniser?.notice !== undefined) this.#context.warn(recogniser.notice);
  }

  /** The page as OCR reads it; as it is when OCR finds nothing better, which is told. */
  read(page: PageContent, cause: OcrCause, render: () => GrayPicture | undefined): PageContent {
    const { number } = page;
    const { recogniser, budget } = this.#context;
    const tell = (end: Parameters<OcrAccount["add"]>[1]): PageContent => {
      this.#account.add(number, end);
      return page;
    };
    if (this.#options.when === "never") return page.images.length > 0 ? tell({ kind: "unwanted" }) : page;
    if (recogniser === undefined || this.#obstacle !== undefined)
      return tell({ kind: "impossible", cause, detail: this.#obstacle ?? "there is no OCR here" });
    const picture = render();
    if (picture === undefined) return tell({ kind: "failed", cause, detail: "it cannot be drawn." });
    // A page that shows nothing has nothing to tell.
    if (isBlank(picture)) return page;
    const leftMs = () => budget.limits.timeoutMs - budget.elapsedMs;
    const reading = readPicture(picture, { recogniser, languages: this.#options.languages, leftMs });
    if (reading.outcome === "failed") return tell({ kind: "failed", cause, detail: reading.detail });
    if (reading.outcome === "timeout") return tell({ kind: "timeout", cause });
    return this.#choose(page, reading.text, cause);
  }

  /** Notes a page whose own text is used. */
  keep({ number, glyphs, images }: PageContent): void {
    if (glyphs.length > 0 && glyphs.every(({ style }) => style.isInvisible === true))
      this.#account.note(number, "a scan with a text layer made by OCR before, which was used");
    else if (this.#options.when === "auto") this.#account.addUnread(number, images.filter(mayHoldText).length);
  }

  /** Warns of what was read by OCR, and of what was not. */
  tell(): void {
    this.#account.tell(this.#context);
  }

  failure(): ReturnType<OcrAccount["failure"]> {
    return this.#account.failure();
  }

  #choose(page: PageContent, text: PictureText, cause: OcrCause): PageContent {
    const read = toPageContent(text, page);
    if (!isBetter(read, page, { cause, confidence: text.confidence })) {
      // Pages of a photograph, or of a drawing without words, are nothing to tell where they have text of their own.
      if (cause !== "stamped") this.#account.add(page.number, { kind: "empty", cause });
      return page;
    }
    this.#account.add(page.number, { kind: "read", cause });
    if (text.confidence < doubtfulConfidence) {
      const confidence = Math.round(text.confidence);
      this.#account.note(page.number, `OCR is unsure of what it read (confidence ${confidence} of 100)`);
    }
    if (text.illegibleLines > 0) {
      const lines = text.illegibleLines === 1 ? "1 line" : `${text.illegibleLines} lines`;
      this.#account.note(page.number, `${lines} that OCR could not make out left out`);
    }
    return read;
  }
}

/** In points: what is smaller is a logo, a symbol, or a strip of a picture. */
const leastUnread = { width: 72, height: 36 };

function mayHoldText({ left, top, right, bottom }: Box): boolean {
  return right - left >= leastUnread.width && bottom - top >= leastUnread.height;
}

function isBetter(
  read: PageContent,
  page: PageContent,
  { cause, confidence }: { readonly cause: OcrCause; readonly confidence: number },
): boolean {
  if (read.glyphs.length === 0) return false;
  if (cause === "stamped") return lettersOf(read) > lettersOf(page) * 2 && confidence >= doubtfulConfidence;
  return cause !== "garbled" || (confidence >= leastConfidence && lettersOf(read) > page.glyphs.length * 0.2);
}

function lettersOf({ glyphs }: PageContent): number {
  return glyphs.reduce((sum, { text }) => sum + countLetters(text), 0);
}

/** Shades this close are one shade, with the noise of a scanner or of compression. */
const noise = 24;

function isBlank({ pixels }: GrayPicture): boolean {
  let [least, most] = [255, 0];
  for (const shade of pixels) {
    if (shade < least) least = shade;
    if (shade > most) most = shade;
  }
  return most - least < noise;
}
