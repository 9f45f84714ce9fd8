import { isUtf8 } from "node:buffer";
import { parserReasons } from "@attune/contracts/errors/reasons.ts";
import type { Reason } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import { maxOcrPixels } from "../ocr/gray-picture.ts";
import type { Frame } from "./frame.ts";
import { partBytes, textPieceBytes } from "./messages.ts";

const jobId = z.int().nonnegative();
const bytes = z.number().nonnegative().finite();
const side = z.int().min(1).max(maxOcrPixels);
const documentReasons = Object.entries(parserReasons).flatMap(([reason, { scope }]) =>
  scope === "document" ? [reason as Reason] : [],
);

const messageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready"), jobId, rssBytes: bytes }),
  z.strictObject({ kind: z.literal("text"), jobId, rssBytes: bytes }),
  z.strictObject({
    kind: z.literal("result"),
    jobId,
    rssBytes: bytes,
    contentLength: z.int().nonnegative(),
    isEmpty: z.boolean(),
    warnings: z.array(z.string().max(1000)).max(1000),
  }),
  z.strictObject({
    kind: z.literal("failure"),
    jobId,
    rssBytes: bytes,
    reason: z.enum(documentReasons as [Reason, ...Reason[]]),
    detail: z.string().max(2000).optional(),
    diagnostic: z.string().max(10_000),
  }),
  z.strictObject({
    kind: z.literal("part"),
    jobId,
    rssBytes: bytes,
    offset: z.int().nonnegative().multipleOf(partBytes),
  }),
  z.strictObject({ kind: z.literal("languages"), jobId, rssBytes: bytes }),
  z.strictObject({
    kind: z.literal("recognise"),
    jobId,
    rssBytes: bytes,
    width: side,
    height: side,
    dpi: z.number().min(1).max(10_000),
    languages: z
      .array(z.string().regex(/^[A-Za-z_]{3,16}$/))
      .min(1)
      .max(8),
    timeoutMs: z.int().min(1).max(3_600_000),
  }),
]);

/** A message of a worker that has been checked; `content` is text, or the pixels of a picture. */
export type CheckedMessage = z.infer<typeof messageSchema> & { readonly content: Buffer };
/** One that wants an answer before the job goes on. */
export type CheckedQuestion = Extract<CheckedMessage, { kind: "part" | "languages" | "recognise" }>;
/** A piece of the text, ahead of the result. */
export type CheckedText = Extract<CheckedMessage, { kind: "text" }>;
/** One that ends a job, or the start. */
export type CheckedAnswer = Exclude<CheckedMessage, CheckedQuestion | CheckedText>;

/**
 * What a worker says, taken as the word of a stranger: the document may have taken the worker over. `sentBytes` of the text
 * came in pieces before.
 * @throws Error when it is not a message that a worker of ours sends.
 */
export function parseWorkerMessage({ head, body }: Frame, sentBytes = 0): CheckedMessage {
  const message = messageSchema.parse(head);
  if (message.kind === "result") assertLength(sentBytes + body.length, message.contentLength);
  // Pieces without a least size could be without number.
  if (message.kind === "text" && body.length < textPieceBytes) throw new Error(`a piece of ${body.length} bytes`);
  if (message.kind === "result" || message.kind === "text") assertUtf8(body);
  else if (message.kind === "recognise") assertPixels(body, message);
  else if (body.length > 0) throw new Error(`${message.kind} with a body`);
  return { ...message, content: body };
}

function assertPixels(body: Buffer, { width, height }: { readonly width: number; readonly height: number }): void {
  if (body.length !== width * height || body.length > maxOcrPixels) throw new Error("a picture of another size");
}

// A code point takes one to four bytes.
function assertLength(sizeBytes: number, codePoints: number): void {
  if (codePoints > sizeBytes || codePoints * 4 < sizeBytes) throw new Error("content of another length");
}

function assertUtf8(content: Buffer): void {
  if (!isUtf8(content)) throw new Error("content that is not UTF-8");
}
