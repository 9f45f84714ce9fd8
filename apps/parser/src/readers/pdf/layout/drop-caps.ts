import { type Line, toLine } from "./line.ts";

/** A drop cap is at least this many times as large as the text it begins. */
const minRatio = 1.9;

/** Puts a drop cap, which stands on a lower line, before the line whose top it shares. */
export function attachDropCaps(lines: readonly Line[]): Line[] {
  const caps = lines.filter(isCapital);
  if (caps.length === 0) return [...lines];
  const attached = new Map<Line, Line>();
  for (const cap of caps) {
    const first = lines.find((line) => !attached.has(line) && isBegunBy(cap, line));
    if (first !== undefined) attached.set(first, cap);
  }
  const used = new Set(attached.values());
  return lines.filter((line) => !used.has(line)).map((line) => withCap(line, attached.get(line)));
}

function isCapital({ words }: Line): boolean {
  return words.length === 1 && /^["“‘«]?\p{Lu}$/u.test(words[0]?.text ?? "");
}

function isBegunBy(cap: Line, line: Line): boolean {
  if (cap.size < line.size * minRatio) return false;
  const gap = line.left - cap.right;
  const hangs = line.top < cap.baseline - line.size && line.bottom > cap.top;
  const isFirst = line.baseline - cap.top < line.size * 2.2;
  return gap > -line.size && gap < cap.size && hangs && isFirst;
}

function withCap(line: Line, cap: Line | undefined): Line {
  const capital = cap?.words[0];
  const [first, ...rest] = line.words;
  if (capital === undefined || first === undefined) return line;
  const isArticle =
    /^[AI]$/.test(capital.text) && /^\p{Lu}/u.test(first.text) && first.text !== first.text.toUpperCase();
  const letter = { ...first, text: capital.text, left: capital.left, right: capital.right, isGlued: false };
  return { ...toLine([letter, { ...first, isGlued: !isArticle }, ...rest]), left: capital.left };
}
