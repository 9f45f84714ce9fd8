import type { TextRange } from "./walk-paragraphs.ts";
import { u16 } from "./bytes.ts";
import { readPlc } from "./plc.ts";

/** Where a note belongs and where its text is. */
export interface Note {
  /** Position of the reference. */
  readonly position: number;
  readonly range: TextRange;
  /** The mark is of the author's own, and is text. */
  readonly hasOwnMark: boolean;
}

interface NoteSource {
  /** References: positions of the main story, with a number of two bytes that is 0 for marks of the author's own. */
  readonly references: Buffer;
  /** Positions in the story of the notes. */
  readonly texts: Buffer;
  readonly story: TextRange;
}

/** The notes of one kind, in the order of their references ([MS-DOC] 2.8.18 and 2.8.20). */
export function readNotes({ references, texts, story }: NoteSource): Note[] {
  const places = readPlc(references, 2);
  const bounds = readPlc(texts, 0);
  const notes: Note[] = [];
  let start = story.start;
  for (let index = 0; index < Math.min(places.count, bounds.count); index++) {
    const end = Math.min(story.end, story.start + bounds.position(index + 1));
    const range = { start, end: Math.max(start, end) };
    notes.push({ position: places.position(index), range, hasOwnMark: u16(places.data(index), 0) === 0 });
    start = range.end;
  }
  return notes;
}
