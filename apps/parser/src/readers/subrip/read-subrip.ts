import type { Block } from "../../document/document.ts";
import { joinCues } from "../../text/join-cues.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { parseSubRip } from "./parse-subrip.ts";

/** The words of subtitles as paragraphs, without numbers and times. */
export const readSubRip: ReadDocument = (input, context) => {
  const { cues, preface } = parseSubRip(readInputText(input, context));
  if (cues.length === 0) context.warn("The file has no subtitle timings; its text is kept as it stands.");
  const speeches = joinCues(cues).map(({ text }) => text);
  const paragraphs = preface === "" ? speeches : [preface, ...speeches];
  return { metadata: {}, blocks: paragraphs.map((text): Block => ({ type: "paragraph", inlines: [text] })) };
};
