import { u32 } from "./bytes.ts";
import { readPlc } from "./plc.ts";
import type { Stories } from "./stories.ts";
import type { TextRange } from "./walk-paragraphs.ts";
import type { WordFile } from "./word-file.ts";

export interface TextBoxes {
  /** The text of a shape, given out once. */
  take(shapeId: number): TextRange | undefined;
  /** The text of the next boxes that nothing has taken, for files of Word 6, which count them. */
  takeNext(count: number): TextRange[];
  /** What nothing has taken, of the boxes of the main story. */
  takeRest(): TextRange[];
}

interface Box {
  readonly shapeId: number;
  readonly range: TextRange;
  readonly isInHeader: boolean;
}

/** Texts of text boxes by the shapes that show them ([MS-DOC] 2.8.31). */
export function readTextBoxes({ file, stories }: { readonly file: WordFile; readonly stories: Stories }): TextBoxes {
  const isOld = file.fib.isWord6;
  const boxes = [
    ...readBoxes(file.find("textBoxes"), stories.textBoxes, { isOld, isInHeader: false }),
    ...readBoxes(file.find("headerTextBoxes"), stories.headerTextBoxes, { isOld, isInHeader: true }),
  ];
  const byShape = new Map(boxes.filter(({ shapeId }) => shapeId !== 0).map((box) => [box.shapeId, box]));
  const taken = new Set<Box>();
  let next = 0;
  const take = (box: Box | undefined): TextRange | undefined => {
    if (box === undefined || taken.has(box)) return undefined;
    taken.add(box);
    return box.range;
  };
  const takeNext = (count: number): TextRange[] => {
    const ranges: TextRange[] = [];
    for (; next < boxes.length && ranges.length < count; next++) {
      const box = boxes[next];
      const range = box?.isInHeader === true ? undefined : take(box);
      if (range !== undefined) ranges.push(range);
    }
    return ranges;
  };
  return {
    take: (shapeId) => take(byShape.get(shapeId)),
    takeNext,
    takeRest: () => takeNext(Infinity),
  };
}

const boxBytes = 22;
const shapeIdAt = 14;

interface BoxKind {
  readonly isOld: boolean;
  readonly isInHeader: boolean;
}

function readBoxes(bytes: Buffer | undefined, story: TextRange, { isOld, isInHeader }: BoxKind): Box[] {
  if (story.end <= story.start) return [];
  const plc = readPlc(bytes ?? Buffer.alloc(0), isOld ? 0 : boxBytes);
  // Without the list the story is one text.
  if (plc.count === 0) return [{ shapeId: 0, range: story, isInHeader }];
  const boxes: Box[] = [];
  let start = story.start;
  for (let index = 0; index < plc.count && start < story.end; index++) {
    const end = Math.max(start, Math.min(story.end, story.start + plc.position(index + 1)));
    const shapeId = isOld ? 0 : u32(plc.data(index), shapeIdAt);
    if (end > start) boxes.push({ shapeId, range: { start, end }, isInHeader });
    start = end;
  }
  return boxes;
}
