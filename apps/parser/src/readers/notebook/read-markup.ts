import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../../document/document.ts";
import type { ReadContext } from "../reader.ts";

/** Markdown, HTML and the like inside a notebook, read by the reader of its format; kept as source where that fails. */
export async function readMarkup(text: string, format: string, context: ReadContext): Promise<Block[]> {
  try {
    const part = {
      bytes: Buffer.from(text.toWellFormed(), "utf8"),
      fileName: "",
      format,
      isOwnText: true,
      charset: "utf-8",
    };
    return [...(await context.readPart(part)).blocks];
  } catch (error) {
    if (!(error instanceof AppError) || error.reason === "LIMIT_EXCEEDED") throw error;
    context.warn(`A part of the notebook in ${format} could not be read and is kept as source.`);
    return [{ type: "code", language: format, text }];
  }
}
