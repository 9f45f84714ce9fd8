import { readOleProperties } from "../../containers/ole-properties.ts";
import type { Block, Footnote } from "../../document/document.ts";
import type { ReadDocument } from "../reader.ts";
import { readPlc } from "./plc.ts";
import { readStory } from "./story-reader.ts";
import { openWordFile } from "./word-file.ts";
import { WordReading } from "./word-reading.ts";

/** Word documents of the binary format: Word 97 to 2003, and Word 6 and 95. */
export const readDoc: ReadDocument = (input, context) => {
  if (context.options.pages.length > 0)
    context.warn("Word documents have no fixed pages: the whole document was read.");
  const file = openWordFile(input.bytes, context.options.password);
  const reading = new WordReading(file, context);
  const [headers, footers] = context.options.headersFooters === "keep" ? readHeaders(reading) : [[], []];
  const body = readStory(reading, reading.stories.main);
  const boxes = reading.textBoxes.takeRest().flatMap((range) => readStory(reading, range, 1));
  const footnotes = readFootnotes(reading);
  reading.tellLosses();
  return {
    metadata: readOleProperties(file.streams),
    blocks: [...headers, ...body, ...boxes, ...footers, ...footnotes],
  };
};

/** Separators of notes stand before the heads and feet, of which each section has six ([MS-DOC] 2.8.22). */
const separatorCount = 6;
const headOrFoot = ["head", "head", "foot", "foot", "head", "foot"] as const;

// A section without one of its own goes on with that of the section before.
function readHeaders(reading: WordReading): [Block[], Block[]] {
  const { headers } = reading.stories;
  const plc = readPlc(reading.file.find("headers") ?? Buffer.alloc(0), 0);
  const heads: Block[] = [];
  const feet: Block[] = [];
  let start = headers.start + plc.position(separatorCount);
  for (let index = separatorCount; index < plc.count; index++) {
    const end = Math.min(headers.end, headers.start + plc.position(index + 1));
    if (end <= start) continue;
    const kind = headOrFoot[(index - separatorCount) % headOrFoot.length];
    const target = kind === "head" ? heads : feet;
    for (const block of readStory(reading, { start, end })) target.push(block);
    start = end;
  }
  return [heads, feet];
}

function readFootnotes(reading: WordReading): Footnote[] {
  const footnotes: Footnote[] = [];
  for (const [{ range }, id] of reading.noteUses) {
    footnotes.push({ type: "footnote", id, blocks: readStory(reading, range) });
  }
  return footnotes;
}
