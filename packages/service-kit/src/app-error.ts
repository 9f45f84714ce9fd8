import { type NodeReason, nodeReasons } from "@attune/contracts/errors/node-reasons.ts";
import {
  type PlatformReason,
  type PlatformReasonEntry,
  platformReasons,
} from "@attune/contracts/errors/platform-reasons.ts";
import { type ParserReason, parserReasons, type ReasonEntry } from "@attune/contracts/errors/reasons.ts";

export type Reason = ParserReason | PlatformReason | NodeReason;

/** One fault of a request: where it is (a JSON Pointer, or a header's name) and what is wrong. */
export interface Violation {
  readonly pointer: string;
  readonly message: string;
}

/** Facts about one failure. `detail` is public: a sentence without secrets, paths of the machine or document text. */
export interface ErrorDetails {
  readonly detail?: string;
  readonly retryAfterMs?: number;
  readonly violations?: readonly Violation[];
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

  get entry(): ReasonEntry | PlatformReasonEntry {
    return entryOf(this.reason);
  }
}

const restReasons = { ...platformReasons, ...nodeReasons };

// The parser's own entry stands first, because its callers read its words; the two lists share the names of shared events.
const entryOf = (reason: Reason): ReasonEntry | PlatformReasonEntry =>
  reason in parserReasons ? parserReasons[reason as ParserReason] : restReasons[reason as PlatformReason | NodeReason];

/** `REASON: what happened, what is particular, what to do`. */
function publicMessage(reason: Reason, { detail }: ErrorDetails): string {
  const { sentence, remedy } = entryOf(reason);
  return [`${reason}: ${sentence}`, detail, remedy].filter(Boolean).join(" ");
}
