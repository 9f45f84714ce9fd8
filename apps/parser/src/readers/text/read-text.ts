import { decodeText } from "../../text/decode-text.ts";
import type { ReadDocument } from "../reader.ts";

/** One paragraph for each run of lines between blank lines. */
export const readText: ReadDocument = (input, { options }) => {
  const { text } = decodeText(input.bytes, {
    ...(options.encoding !== undefined && { encoding: options.encoding }),
    ...(input.charset !== undefined && { charset: input.charset }),
  });
  const paragraphs = text.split(/\r?\n(?:[ \t]*\r?\n)+/).filter((paragraph) => paragraph.trim() !== "");
  return {
    metadata: {},
    blocks: paragraphs.map((paragraph) => ({ type: "paragraph", inlines: [paragraph] })),
  };
};
