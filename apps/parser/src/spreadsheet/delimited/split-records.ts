/** Characters of one quoted field; a quote that closes later than this was no opening quote. */
const maxQuotedLength = 1 << 20;

/** Receives records as they are found; returns false to stop. */
export type TakeRecord = (fields: string[]) => boolean;

export interface SplitResult {
  /** Fields that began with a quote which nothing closes. */
  readonly unclosedQuotes: number;
}

/**
 * Splits delimited text (RFC 4180) and forgives what programs get wrong: quotes inside fields, text after a closing quote,
 * quotes that never close, any kind of line end. Blank lines are left out. Takes time linear in the text.
 */
export function splitRecords(text: string, delimiter: string, take: TakeRecord): SplitResult {
  if (!text.includes('"')) {
    splitPlain(text, delimiter, take);
    return { unclosedQuotes: 0 };
  }
  const splitter = new QuotedSplitter(text, delimiter);
  while (!splitter.isAtEnd) {
    const fields = splitter.nextRecord();
    const isBlank = fields.length === 1 && fields[0] === "";
    if (!isBlank && !take(fields)) break;
  }
  return { unclosedQuotes: splitter.unclosedQuotes };
}

function splitPlain(text: string, delimiter: string, take: TakeRecord): void {
  let at = 0;
  while (at < text.length) {
    const end = endOfLine(text, at);
    if (end > at && !take(text.slice(at, end).split(delimiter))) return;
    at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
}

function endOfLine(text: string, from: number): number {
  const newlineAt = text.indexOf("\n", from);
  if (newlineAt === -1) {
    const returnAt = text.indexOf("\r", from);
    return returnAt === -1 ? text.length : returnAt;
  }
  for (let at = from; at < newlineAt; at++) if (text.charCodeAt(at) === 0x0d) return at;
  return newlineAt;
}

class QuotedSplitter {
  readonly #text: string;
  readonly #delimiter: string;
  #at = 0;
  #isRecordEnd = false;
  unclosedQuotes = 0;
  /** The first closing quote at or after `searchedFrom`; undefined when there is none. */
  #foundAt: number | undefined;
  #searchedFrom = Number.POSITIVE_INFINITY;

  constructor(text: string, delimiter: string) {
    this.#text = text;
    this.#delimiter = delimiter;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  nextRecord(): string[] {
    const fields: string[] = [];
    this.#isRecordEnd = false;
    while (!this.#isRecordEnd) fields.push(this.#nextField());
    return fields;
  }

  #nextField(): string {
    const quoted = this.#text.charCodeAt(this.#at) === 0x22 ? this.#quotedField() : undefined;
    if (quoted !== undefined) return quoted;
    const end = this.#endOfPlainField();
    const field = this.#text.slice(this.#at, end);
    this.#leaveField(end);
    return field;
  }

  #endOfPlainField(): number {
    const text = this.#text;
    const delimiter = this.#delimiter.charCodeAt(0);
    let at = this.#at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === 0x0a || code === 0x0d) break;
    }
    return at;
  }

  #quotedField(): string | undefined {
    const from = this.#at + 1;
    const closeAt = this.#findClose(from);
    if (closeAt === undefined) {
      this.unclosedQuotes++;
      return undefined;
    }
    const inner = this.#text.slice(from, closeAt);
    this.#leaveField(closeAt + 1);
    return inner.includes('""') ? inner.replaceAll('""', '"') : inner;
  }

  // The first run of quotes, odd in number, that a delimiter, a line end or the end of the text follows: the last of it
  // closes the field, the others are doubled.
  #findClose(from: number): number | undefined {
    const ownEnd = this.#endOfRun(from);
    if ((ownEnd - from) % 2 === 1 && this.#endsFieldAt(ownEnd)) return ownEnd - 1;
    const closeAt = this.#nextClose(ownEnd);
    if (closeAt === undefined || closeAt - from > maxQuotedLength) return undefined;
    return this.#isBrokenBefore(closeAt, from) ? undefined : closeAt;
  }

  // A quote that closes nothing on the line where the field begins says that the program does not double its quotes; such a
  // field must not swallow the next lines.
  #isBrokenBefore(closeAt: number, from: number): boolean {
    const text = this.#text;
    let at = text.indexOf('"', from);
    while (at !== -1 && at < closeAt) {
      const end = this.#endOfRun(at);
      if ((end - at) % 2 === 1) {
        const newlineAt = text.indexOf("\n", from);
        return newlineAt > at && newlineAt < closeAt;
      }
      at = text.indexOf('"', end);
    }
    return false;
  }

  // What was searched is remembered, so that each quote of the text is looked at once however many fields begin with one.
  #nextClose(from: number): number | undefined {
    const isKnown = this.#searchedFrom <= from && from <= (this.#foundAt ?? Number.POSITIVE_INFINITY);
    if (isKnown) return this.#foundAt;
    this.#searchedFrom = from;
    this.#foundAt = undefined;
    let at = this.#text.indexOf('"', from);
    while (at !== -1) {
      const end = this.#endOfRun(at);
      if ((end - at) % 2 === 1 && this.#endsFieldAt(end)) {
        this.#foundAt = end - 1;
        break;
      }
      at = this.#text.indexOf('"', end);
    }
    return this.#foundAt;
  }

  #endOfRun(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === 0x22) at++;
    return at;
  }

  #endsFieldAt(next: number): boolean {
    const code = this.#text.charCodeAt(next);
    return next >= this.#text.length || code === this.#delimiter.charCodeAt(0) || code === 0x0a || code === 0x0d;
  }

  #leaveField(end: number): void {
    const text = this.#text;
    if (text.charCodeAt(end) === this.#delimiter.charCodeAt(0)) {
      this.#at = end + 1;
      return;
    }
    this.#isRecordEnd = true;
    this.#at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
}
