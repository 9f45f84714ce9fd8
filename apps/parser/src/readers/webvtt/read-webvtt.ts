import type { Block, Inline } from "../../document/document.ts";
import { joinCues, type Speech } from "../../text/join-cues.ts";
import { readInputText } from "../../text/read-input-text.ts";
import type { ReadDocument } from "../reader.ts";
import { parseWebVtt } from "./parse-webvtt.ts";

/** The words of captions as paragraphs with the names of their speakers, without times. */
export const readWebVtt: ReadDocument = (input, context) => {
  const text = readInputText(input, context);
  const { cues, title, language } = parseWebVtt(text);
  const metadata = { ...(title !== undefined && { title }), ...(language !== undefined && { language }) };
  if (cues.length > 0) return { metadata, blocks: toBlocks(joinCues(cues)) };
  context.warn("The file has no captions; its text is kept as it stands.");
  return { metadata, blocks: [{ type: "paragraph", inlines: [text.replace(/^WEBVTT[^\n]*/, "").trim()] }] };
};

// The name stands once where the same person speaks on.
function toBlocks(speeches: readonly Speech[]): Block[] {
  return speeches.map(({ speaker, text }, index) => {
    const isNamed = speaker !== undefined && speeches[index - 1]?.speaker !== speaker;
    const name: Inline[] = isNamed ? [{ type: "strong", inlines: [`${speaker}:`] }, " "] : [];
    return { type: "paragraph", inlines: [...name, text] };
  });
}
