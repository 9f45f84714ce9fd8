export interface CutLine {
  readonly text: string;
  /** Where the next line begins, in bytes; going on there gives neither a gap nor a line twice. */
  readonly endOffset: number;
  /** Whether the line was longer than is kept. */
  readonly isCut: boolean;
  /** Whether it is none of the file's, but tells of lines that were left out. */
  readonly isNotice?: boolean;
}

/** Cuts bytes that come in pieces into lines, and holds at most one line of `maxLineBytes`. */
export interface LineCutter {
  /** @param position offset of the piece in the whole */
  cut(piece: Buffer, position: number): readonly CutLine[];
  /** What stands behind the last LF; undefined when nothing does. */
  rest(endOffset: number): CutLine | undefined;
}

const lineFeed = 10;

export function createLineCutter(maxLineBytes: number): LineCutter {
  let held: Buffer = Buffer.alloc(0);
  let isCut = false;
  const keep = (bytes: Buffer) => {
    const room = maxLineBytes - held.length;
    if (bytes.length > room) isCut = true;
    if (room > 0 && bytes.length > 0) held = Buffer.concat([held, bytes.subarray(0, room)]);
  };
  const endLine = (endOffset: number): CutLine => {
    const line = { text: held.toString("utf8"), endOffset, isCut };
    held = Buffer.alloc(0);
    isCut = false;
    return line;
  };
  return {
    cut: (piece, position) => {
      const lines: CutLine[] = [];
      let start = 0;
      for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
        keep(piece.subarray(start, end));
        start = end + 1;
        lines.push(endLine(position + start));
      }
      keep(piece.subarray(start));
      return lines;
    },
    rest: (endOffset) => (held.length === 0 && !isCut ? undefined : endLine(endOffset)),
  };
}
