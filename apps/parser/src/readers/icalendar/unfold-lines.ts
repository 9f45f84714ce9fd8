interface LogicalLine {
  readonly text: string;
  /** One-based number of its first line in the file. */
  readonly number: number;
}

/**
 * The lines of a calendar as they were before long ones were folded (RFC 5545 3.1), or broken softly in the
 * quoted-printable texts of vCalendar 1.0. Line ends are `\n`.
 */
export function* unfoldLines(text: string): Generator<LogicalLine> {
  let line: OpenLine = { pieces: [], number: 1, isSoft: false };
  let number = 0;
  let fold = 1;
  for (const raw of linesOf(text)) {
    number++;
    const isFolded = raw.startsWith(" ") || raw.startsWith("\t");
    if (line.isSoft && !delimiter.test(raw)) extend(line, raw);
    else if (isFolded && line.pieces.length > 0) extend(line, raw.slice(fold));
    else {
      if (line.pieces.length > 0) yield { text: line.pieces.join(""), number: line.number };
      line = { pieces: [], number, isSoft: false };
      extend(line, raw);
      fold = foldWidth(raw) ?? fold;
    }
  }
  if (line.pieces.length > 0) yield { text: line.pieces.join(""), number: line.number };
}

interface OpenLine {
  readonly pieces: string[];
  readonly number: number;
  /** Ends in the `=` that joins a line of quoted-printable to the next. */
  isSoft: boolean;
}

const delimiter = /^(?:BEGIN|END):/i;
const quotedPrintable = /^[\w.-]{1,60};[^:]{0,500}QUOTED-PRINTABLE/i;

function extend(line: OpenLine, raw: string): void {
  line.isSoft = raw.endsWith("=") && quotedPrintable.test(line.pieces[0] ?? raw);
  line.pieces.push(line.isSoft ? raw.slice(0, -1) : raw);
}

// The blank that marks a folded line belongs to the mark in iCalendar, and to the text in vCalendar 1.0.
function foldWidth(raw: string): number | undefined {
  if (/^VERSION:\s{0,8}1\.0\s{0,8}$/i.test(raw)) return 0;
  return /^BEGIN:VCALENDAR/i.test(raw) ? 1 : undefined;
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  if (start < text.length) yield text.slice(start);
}
