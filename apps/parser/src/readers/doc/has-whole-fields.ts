import { type FormattedText, type TextRange, walkParagraphs } from "./walk-paragraphs.ts";

const begin = 0x13;
const end = 0x15;

/** Whether every field that begins in a range ends there too. */
export function hasWholeFields(text: FormattedText, range: TextRange): boolean {
  let open = 0;
  for (const { runs } of walkParagraphs(text, range)) {
    for (const { bytes, bytesPerCharacter } of runs) {
      open = countOpen(bytes, bytesPerCharacter, open);
      if (open < 0) return false;
    }
  }
  return open === 0;
}

// Below zero where a field ends that never began.
function countOpen(bytes: Buffer, bytesPerCharacter: 1 | 2, before: number): number {
  let open = before;
  for (let at = 0; at < bytes.length && open >= 0; at += bytesPerCharacter) {
    const isMark = bytesPerCharacter === 1 || bytes[at + 1] === 0;
    if (isMark && bytes[at] === begin) open++;
    if (isMark && bytes[at] === end) open--;
  }
  return open;
}
