import type { DocumentLimits } from "../limits/budget.ts";
import type { ParseOptions } from "../overrides/parse-options.ts";

/** Head of the frame that gives a worker one document; the body is the file, unless that is asked for in parts. */
export interface JobMessage {
  readonly kind: "job";
  /** From 1, different for each job of a worker; the answer repeats it. */
  readonly jobId: number;
  readonly fileName: string;
  readonly format: string;
  readonly charset?: string;
  /** Set when the body is empty: the size of the file, which is to be asked for with `PartMessage`. */
  readonly fileBytes?: number;
  readonly options: ParseOptions;
  readonly limits: DocumentLimits;
}

interface WorkerMessageBase {
  /** The job that this answers; 0 when none. */
  readonly jobId: number;
  /**
   * Resident bytes as the worker counts them itself: a hint for recycling, never a limit. The peak of the process where the
   * sandbox hides the current figure.
   */
  readonly rssBytes: number;
}

/** Said once, when the worker has loaded what it needs. */
export interface ReadyMessage extends WorkerMessageBase {
  readonly kind: "ready";
}

/** Least size of the pieces that a text is sent in ahead of its result, in bytes; a shorter text goes with its result. */
export const textPieceBytes = 256 << 10;

/** Head of a frame whose body is the next piece of the text, UTF-8 that parts no code point. It is not answered. */
export interface TextMessage extends WorkerMessageBase {
  readonly kind: "text";
}

/** Head of the frame that answers a job; the body is the text, UTF-8, or what is left of it after the pieces before. */
export interface ResultMessage extends WorkerMessageBase {
  readonly kind: "result";
  /** Unicode code points of the whole text. */
  readonly contentLength: number;
  /** Whether the document holds no text, whatever marks were rendered around it. */
  readonly isEmpty: boolean;
  readonly warnings: readonly string[];
}

export interface FailureMessage extends WorkerMessageBase {
  readonly kind: "failure";
  /** A reason of the closed list with the scope `document`. */
  readonly reason: string;
  readonly detail?: string;
  /** Name, message and stack, for our log only. */
  readonly diagnostic: string;
}

/** Size of the parts that a file is asked for in, in bytes; the last is shorter. */
export const partBytes = 256 << 10;

/** Asks for a part of the file that the job was sent without; answered with `PartReply`. */
export interface PartMessage extends WorkerMessageBase {
  readonly kind: "part";
  /** A multiple of `partBytes`. */
  readonly offset: number;
}

/** The body is the part. */
export interface PartReply {
  readonly kind: "part";
}

/** Asks for the languages that the recogniser of this machine reads; answered with `LanguagesReply`. */
export interface LanguagesMessage extends WorkerMessageBase {
  readonly kind: "languages";
}

/** Asks for the text of a picture, whose pixels are the body, a byte each; answered with `RecognitionReply`. */
export interface RecogniseMessage extends WorkerMessageBase {
  readonly kind: "recognise";
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly languages: readonly string[];
  readonly timeoutMs: number;
}

export interface LanguagesReply {
  readonly kind: "languages";
  readonly languages: readonly string[];
  /** Set when the recogniser could not say. */
  readonly fault?: string | undefined;
}

/** The body is hOCR when the outcome is `read`. */
export interface RecognitionReply {
  readonly kind: "recognition";
  readonly outcome: "read" | "timeout" | "failed";
  readonly detail: string;
}
