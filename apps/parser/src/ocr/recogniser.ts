import type { GrayPicture } from "./gray-picture.ts";

/** What came of one picture. */
export type Recognition =
  /** Lines, words and their boxes in pixels, as hOCR (http://kba.github.io/hocr-spec/1.2/). */
  | { readonly outcome: "read"; readonly hocr: string }
  | { readonly outcome: "timeout" }
  /** The recogniser failed; `detail` says how, in a sentence without text of the document. */
  | { readonly outcome: "failed"; readonly detail: string; readonly isUnavailable?: true };

export interface LanguageList {
  /** Tesseract names of the languages that there is data of. */
  readonly languages: readonly string[];
  /** Set when the recogniser is there and could not say what it reads: how it failed, the end of a sentence. */
  readonly fault?: string | undefined;
}

/** Something that reads pictures of text, such as a program of this machine. */
export interface Recogniser {
  /** What it can read; nothing when it is not there. Never fails: that it cannot say is part of the answer. */
  listLanguages(signal: AbortSignal): Promise<LanguageList>;
  /** Reads upright lines of text. @throws the abort reason of `signal`. */
  recognise(request: RecogniseRequest, signal: AbortSignal): Promise<Recognition>;
}

export interface RecogniseRequest {
  readonly picture: GrayPicture;
  readonly languages: readonly string[];
  readonly timeoutMs: number;
}

/** OCR as a reader has it: it blocks, like everything a reader does, and is made ready before. */
export interface PageRecogniser {
  /** Whether `recognise` may be called; a picture that made the recogniser fail may end that. */
  readonly isReady: boolean;
  /** Makes it ready for these languages: undefined when it is; otherwise why it cannot be, and what to do. */
  prepare(languages: readonly string[]): Promise<string | undefined>;
  recognise(request: RecogniseRequest): Recognition;
  /** After `prepare`, something to be told: that another recogniser than the usual one had to be taken, and why. */
  readonly notice?: string | undefined;
}
