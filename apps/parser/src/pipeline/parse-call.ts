/** One request to parse, as the wire gives it. */
export interface ParseCall {
  readonly fileUrl: string;
  /** A hint for the type, and the title; never a path. */
  readonly fileName: string;
  /** A hint: extension with or without the dot, or media type. */
  readonly fileType: string;
  /** Empty or `auto`: the best available engine. */
  readonly parserEngine: string;
  readonly engineOverrides: Readonly<Record<string, string>>;
}

/** What a caller learns; a failure of the document is an outcome, not an exception. */
export type ParseOutcome = ParseSuccess | ParseFailure;

export interface ParseSuccess {
  readonly success: true;
  /** UTF-8. Whoever sends the answer takes its memory: it may be empty when that is done. */
  readonly content: Uint8Array;
  /** Unicode code points of `content`. */
  readonly contentLength: number;
  /** Warnings, one sentence each, joined by spaces; empty when there are none. */
  readonly message: string;
  readonly fileType: string;
  readonly parserEngine: string;
}

export interface ParseFailure {
  readonly success: false;
  /** `REASON: sentence, and what to do`. */
  readonly message: string;
  /** The type as far as it was known when the parse failed; may be empty. */
  readonly fileType: string;
  /** The engine that failed, or empty. */
  readonly parserEngine: string;
}
