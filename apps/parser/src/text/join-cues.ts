/** One caption: when it is shown, and its lines without markup. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly CueLine[];
}

export interface CueLine {
  /** Who speaks, when the file says so. */
  readonly speaker?: string;
  readonly text: string;
}

/** What one speaker says without a break. */
export interface Speech {
  readonly speaker?: string;
  readonly text: string;
}

const minPauseMs = 4000;
const longSpeechLength = 700;
const maxRollingGapMs = 500;
const minRollingCues = 3;
const minRollingShare = 0.3;
const sentenceEnd = /[.!?…。！？؟۔”"’)\]♪]$/u;
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}。、！？」』）]$/u;
const dialogueDash = /^[-–—‐]\s?\S/u;

/**
 * Joins captions to readable paragraphs: a new one begins with another speaker, a dash of dialogue, after a long pause or, in
 * long speeches, after a sentence. Lines that roll up, and so stand in two captions, are kept once; nothing else is left out.
 */
export function joinCues(cues: readonly Cue[]): Speech[] {
  const speeches: OpenSpeech[] = [];
  let previousEndMs = Number.NEGATIVE_INFINITY;
  for (const cue of withoutRolling(cues)) {
    const pauseMs = cue.startMs - previousEndMs;
    cue.lines.forEach((line, index) => append(speeches, line, index === 0 ? pauseMs : 0));
    previousEndMs = Math.max(previousEndMs, cue.endMs);
  }
  return speeches.map(({ speaker, pieces }) => ({ ...(speaker !== undefined && { speaker }), text: pieces.join("") }));
}

// Pieces are joined once: a text that grows and is looked at in turn is copied each time.
interface OpenSpeech {
  readonly speaker?: string;
  readonly pieces: string[];
  length: number;
  lastLine: string;
}

function append(speeches: OpenSpeech[], line: CueLine, pauseMs: number): void {
  const last = speeches.at(-1);
  if (last === undefined || isNewSpeech(last, line, pauseMs)) {
    const { text, speaker } = line;
    speeches.push({ ...(speaker !== undefined && { speaker }), pieces: [text], length: text.length, lastLine: text });
    return;
  }
  if (!spaceless.test(last.lastLine)) last.pieces.push(" ");
  last.pieces.push(line.text);
  last.length += line.text.length + 1;
  last.lastLine = line.text;
}

function isNewSpeech(last: OpenSpeech, line: CueLine, pauseMs: number): boolean {
  if (last.speaker !== line.speaker || dialogueDash.test(line.text)) return true;
  const isSentence = sentenceEnd.test(last.lastLine);
  return pauseMs >= minPauseMs || (isSentence && (pauseMs > minPauseMs / 2 || last.length > longSpeechLength));
}

/*
 * Live captions scroll: each shows the last lines of the one before it above its own new line. Only files that do so often
 * are treated, since people do say the same thing twice.
 */
function withoutRolling(cues: readonly Cue[]): readonly Cue[] {
  const overlaps = cues.map((cue, index) => overlapOf(cues[index - 1], cue));
  const rolling = cues.filter((cue, index) => isPartial(overlaps[index] ?? 0, cue)).length;
  const isRolling = rolling >= minRollingCues && rolling >= cues.length * minRollingShare;
  return isRolling ? cues.map((cue, index) => ({ ...cue, lines: cue.lines.slice(overlaps[index]) })) : cues;
}

function isPartial(overlap: number, cue: Cue): boolean {
  return overlap > 0 && overlap < cue.lines.length;
}

// How many first lines of a caption are the last lines of the one before it.
function overlapOf(previous: Cue | undefined, cue: Cue): number {
  if (previous === undefined || cue.startMs - previous.endMs > maxRollingGapMs) return 0;
  for (let count = Math.min(previous.lines.length, cue.lines.length, maxOverlapLines); count > 0; count--) {
    const tail = previous.lines.slice(-count);
    if (tail.every((line, index) => line.text === cue.lines[index]?.text)) return count;
  }
  return 0;
}

const maxOverlapLines = 4;
