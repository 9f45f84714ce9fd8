const quote = 0x22;
const backslash = 0x5c;

export interface JsonScan {
  /** Deepest nesting; 1 for a flat object. */
  readonly depth: number;
  /** Number of colons outside strings, which is the number of keys of valid JSON. */
  readonly keyCount: number;
  /** A number stands in the text that a double may not hold. */
  readonly hasLongNumber: boolean;
  /** The text ends inside a string. */
  readonly endsInString: boolean;
  /** Brackets that are open at the end. */
  readonly openBrackets: number;
}

/** Measures JSON without parsing it, so that hostile nesting never reaches the parser. Linear, and right for any text. */
export function scanJson(text: string): JsonScan {
  let [depth, open, keyCount, numberEnd] = [0, 0, 0, 0];
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = endOfString(text, at);
      if (at < 0) return { depth, keyCount, hasLongNumber, endsInString: true, openBrackets: open };
    } else if (char === 0x3a) keyCount++;
    else if (isOpening(char)) depth = Math.max(depth, ++open);
    else if (isClosing(char)) open--;
    else if (at >= numberEnd && isNumberStart(char)) {
      numberEnd = endOfNumber(text, at);
      hasLongNumber ||= numberEnd - at >= 16 || /e/i.test(text.slice(at, numberEnd));
    }
  }
  return { depth, keyCount, hasLongNumber, endsInString: false, openBrackets: open };
}

const isOpening = (char: number): boolean => char === 0x7b || char === 0x5b;
const isClosing = (char: number): boolean => char === 0x7d || char === 0x5d;
const isNumberStart = (char: number): boolean => (char >= 0x30 && char <= 0x39) || char === 0x2d;
const isNumberChar = (char: number): boolean =>
  isNumberStart(char) || char === 0x2e || char === 0x2b || char === 0x65 || char === 0x45;

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isNumberChar(text.charCodeAt(end))) end++;
  return end;
}

/** Index of the quote that closes the string opened at `start`, or -1. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before > start && text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}
