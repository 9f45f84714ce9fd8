import { type ParserReason, parserReasons, type ReasonEntry } from "@attune/contracts/errors/reasons.ts";

export type Reason = ParserReason;

/** Facts about one failure. `detail` is public: a sentence without secrets, paths of the machine or document text. */
export interface ErrorDetails {
  readonly detail?: string;
  readonly retryAfterMs?: number;
}

/** The one error class of Attune's programs: a reason of the catalogue, and what is particular to this case. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly reason: Reason;
  readonly details: ErrorDetails;

  constructor(reason: Reason, details: ErrorDetails = {}, cause?: unknown) {
    super(publicMessage(reason, details), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.details = details;
  }

  get entry(): ReasonEntry {
    return parserReasons[this.reason];
  }
}

/** `REASON: what happened, what is particular, what to do`. */
function publicMessage(reason: Reason, { detail }: ErrorDetails): string {
  const { sentence, remedy } = parserReasons[reason];
  return [`${reason}: ${sentence}`, detail, remedy].filter(Boolean).join(" ");
}
