import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../../document/document.ts";
import type { ReadDocument } from "../reader.ts";
import { splitMessages } from "./split-messages.ts";

/** Reads the messages of a mailbox one after the other, each under its subject. A damaged one is named in a warning. */
export const readMbox: ReadDocument = async (input, context) => {
  const { maxPages } = context.budget.limits;
  const messages = splitMessages(input.bytes);
  if (messages.length === 0) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no line that begins a message." });
  }
  if (messages.length > maxPages) {
    context.warn(
      `It has ${messages.length} messages; those after message ${maxPages} were left out (max_pages, PARSER_MAX_PAGES).`,
    );
  }
  const blocks: Block[] = [];
  for (const [index, bytes] of messages.slice(0, maxPages).entries()) {
    if (context.budget.isTimeSpent) {
      context.warn(`Time ran out: messages ${index + 1} to ${messages.length} were left out.`);
      break;
    }
    try {
      const message = await context.readPart({ bytes, fileName: `message ${index + 1}`, format: "eml" });
      for (const block of message.blocks) blocks.push(block);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      context.warn(`Message ${index + 1} was not read: ${reasonOf(error)}`);
    }
  }
  return { metadata: {}, blocks };
};

function reasonOf({ reason, details }: AppError): string {
  return details.detail === undefined ? `${reason}.` : `${reason}. ${details.detail}`;
}
