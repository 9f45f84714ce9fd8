import { AppError } from "@attune/service-kit/app-error.ts";
import { countCodePoints } from "../document/count-code-points.ts";
import { textPieceBytes } from "./messages.ts";

export interface SentText {
  /** What is left of the text after the pieces that were sent. */
  readonly content: Buffer;
  /** Unicode code points of the whole text. */
  readonly contentLength: number;
}

/**
 * Sends a text on as UTF-8 while it is made, in pieces of `textPieceBytes` or more. Its parts must not cut a code point.
 * @throws AppError `OUTPUT_TOO_LARGE` when it has more than `maxBytes`, of which some may have been sent.
 */
export function sendText(parts: Iterable<string>, maxBytes: number, send: (piece: Uint8Array) => void): SentText {
  try {
    return sendParts(parts, maxBytes, send);
  } catch (error) {
    // The longest string V8 can hold is half a gibibyte.
    if (!isStringTooLong(error)) throw error;
    throw outputTooLarge(maxBytes);
  }
}

function sendParts(parts: Iterable<string>, maxBytes: number, send: (piece: Uint8Array) => void): SentText {
  let held: string[] = [];
  let heldLength = 0;
  let sentBytes = 0;
  let contentLength = 0;
  const takeHeld = (): Buffer => {
    const text = held.join("");
    const piece = Buffer.from(text, "utf8");
    held = [];
    heldLength = 0;
    sentBytes += piece.length;
    contentLength += countCodePoints(text);
    if (sentBytes > maxBytes) throw outputTooLarge(maxBytes);
    return piece;
  };
  for (const part of parts) {
    held.push(part);
    heldLength += part.length;
    // A text that passes the limit in characters passes it in bytes too.
    if (sentBytes + heldLength > maxBytes) throw outputTooLarge(maxBytes);
    if (heldLength >= textPieceBytes) send(takeHeld());
  }
  return { content: takeHeld(), contentLength };
}

const isStringTooLong = (error: unknown) => error instanceof RangeError && /invalid string length/i.test(error.message);

const outputTooLarge = (maxBytes: number) =>
  new AppError("OUTPUT_TOO_LARGE", { detail: `It is longer than ${maxBytes} bytes (PARSER_MAX_OUTPUT_MIB).` });
