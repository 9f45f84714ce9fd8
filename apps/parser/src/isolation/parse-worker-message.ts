import { isUtf8 } from "node:buffer";
import { parserReasons } from "@attune/contracts/errors/reasons.ts";
import type { Reason } from "@attune/service-kit/app-error.ts";
import * as z from "zod";
import type { Frame } from "./frame.ts";

const jobId = z.int().nonnegative();
const bytes = z.number().nonnegative().finite();
const documentReasons = Object.entries(parserReasons).flatMap(([reason, { scope }]) =>
  scope === "document" ? [reason as Reason] : [],
);

const messageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready"), jobId, rssBytes: bytes }),
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
]);

/** A message of a worker that has been checked; `content` is the text of a result. */
export type CheckedMessage = z.infer<typeof messageSchema> & { readonly content: Buffer };

/**
 * What a worker says, taken as the word of a stranger: the document may have taken the worker over.
 * @throws Error when it is not a message that a worker of ours sends.
 */
export function parseWorkerMessage({ head, body }: Frame): CheckedMessage {
  const message = messageSchema.parse(head);
  if (message.kind !== "result" && body.length > 0) throw new Error(`${message.kind} with a body`);
  if (message.kind === "result") assertText(body, message.contentLength);
  return { ...message, content: body };
}

// A code point takes one to four bytes.
function assertText(content: Buffer, codePoints: number): void {
  if (codePoints > content.length || codePoints * 4 < content.length) throw new Error("content of another length");
  if (!isUtf8(content)) throw new Error("content that is not UTF-8");
}
