import { runFormat, type TextSpan, toInlines } from "../../containers/opc-inlines.ts";
import { decodeSymbolText } from "../../containers/opc-symbols.ts";
import type { Bullet, TextLine } from "../slide-lines.ts";
import { maxLevel } from "../slide-lines.ts";
import { readAutoNumbers } from "./auto-numbers.ts";
import type { Deck } from "./deck.ts";
import type { MetaCharacter, TextLink, TextPart } from "./text-parts.ts";
import { type CharacterRun, type ParagraphRun, readTextRuns, type TextRuns } from "./text-runs.ts";

/** Where a text stands. */
export interface TextPlace {
  readonly deck: Deck;
  /** The body of the master that its looks come from. */
  readonly master: Buffer | undefined;
  /** What fields of the page stand for; a field that is not there is left out. */
  readonly fields: Partial<Record<MetaCharacter, string>>;
  /** The hyperlink of the whole shape. */
  readonly link?: string;
}

/** The paragraphs of a text that say something. */
export function composeLines(part: TextPart, place: TextPlace): TextLine[] {
  const runs = part.styles === undefined ? noRuns : readTextRuns(part.styles, part.text.length);
  const numbers = part.styles9 === undefined ? [] : readAutoNumbers(part.styles9);
  const spans = new SpanCutter(part, runs, place);
  const paragraphs = new RunWalk(runs.paragraphs);
  const lines: TextLine[] = [];
  let begin = 0;
  for (const paragraph of part.text.split("\r")) {
    const look = paragraphs.runAt(begin);
    const level = Math.min(look?.level ?? 0, maxLevel);
    const numbering = numbers[spans.runAt(begin)?.style9 ?? -1];
    const inlines = toInlines(spans.cut(begin, begin + paragraph.length));
    if (inlines.length > 0) lines.push({ inlines, level, bullet: bulletOf({ look, numbering, part, level, place }) });
    begin += paragraph.length + 1;
  }
  return lines;
}

const noRuns: TextRuns = { paragraphs: [], characters: [] };

interface BulletSources {
  readonly look: ParagraphRun | undefined;
  readonly numbering: Bullet | undefined;
  readonly part: TextPart;
  readonly level: number;
  readonly place: TextPlace;
}

function bulletOf({ look, numbering, part, level, place }: BulletSources): Bullet {
  const inherited = place.deck.bulletOf(place.master, part.type, level);
  const isBulleted = look?.hasBullet ?? inherited.kind !== "none";
  if (!isBulleted) return { kind: "none", start: 1 };
  return numbering ?? { kind: "bullet", start: 1 };
}

/** Finds the run at places that are asked for in ascending order. */
class RunWalk<Run extends { readonly count: number }> {
  readonly #runs: readonly Run[];
  #index = 0;
  #begin = 0;

  constructor(runs: readonly Run[]) {
    this.#runs = runs;
  }

  runAt(place: number): Run | undefined {
    for (let run = this.#runs[this.#index]; run !== undefined; run = this.#runs[this.#index]) {
      if (place < this.#begin + run.count) return run;
      this.#begin += run.count;
      this.#index++;
    }
    return undefined;
  }

  /** Where the run that was found last ends. */
  get end(): number {
    return this.#begin + (this.#runs[this.#index]?.count ?? Infinity);
  }
}

/** Cuts a text into spans of one look, paragraph after paragraph. */
class SpanCutter {
  readonly #part: TextPart;
  readonly #place: TextPlace;
  readonly #runs: RunWalk<CharacterRun>;
  readonly #links: readonly TextLink[];
  #nextLink = 0;

  constructor(part: TextPart, runs: TextRuns, place: TextPlace) {
    this.#part = part;
    this.#place = place;
    this.#runs = new RunWalk(runs.characters);
    this.#links = part.links.toSorted((a, b) => a.begin - b.begin);
  }

  runAt(place: number): CharacterRun | undefined {
    return this.#runs.runAt(place);
  }

  cut(begin: number, end: number): TextSpan[] {
    const spans: TextSpan[] = [];
    for (let at = begin; at < end;) {
      const run = this.#runs.runAt(at);
      const link = this.#linkAt(at);
      const until = Math.min(end, this.#runs.end, link.until);
      this.#push(spans, { begin: at, end: until, run, link: link.target ?? this.#place.link });
      at = until;
    }
    return spans;
  }

  #linkAt(at: number): { readonly target: string | undefined; readonly until: number } {
    let link = this.#links[this.#nextLink];
    while (link !== undefined && link.end <= at) link = this.#links[++this.#nextLink];
    if (link === undefined) return { target: undefined, until: Infinity };
    if (link.begin > at) return { target: undefined, until: link.begin };
    return { target: this.#place.deck.addressOf(link.linkId), until: link.end };
  }

  #push(spans: TextSpan[], { begin, end, run, link }: Cut): void {
    const format = formatOf(run);
    const push = (text: string): void => {
      if (text !== "") spans.push({ content: this.#decode(text, run), format, ...(link !== undefined && { link }) });
    };
    let text = "";
    for (let at = begin; at < end; at++) {
      const meta = this.#part.metaCharacters.get(at);
      const character = meta === undefined ? (this.#part.text[at] ?? "") : this.#fieldOf(meta);
      if (character === "\v") {
        push(text);
        text = "";
        spans.push({ content: { type: "lineBreak" }, format: 0 });
      } else text += character === "\t" ? " " : character;
    }
    push(text);
  }

  // The font for symbols concerns only the private characters that stand for them.
  #decode(text: string, run: CharacterRun | undefined): string {
    const { fonts } = this.#place.deck;
    const symbolFont = fonts[run?.symbolFont ?? -1];
    const font = fonts[run?.font ?? -1];
    if (symbolFont === undefined) return decodeSymbolText(text, font);
    return decodeSymbolText(
      text.replaceAll(/[\uf020-\uf0ff]+/g, (symbols) => decodeSymbolText(symbols, symbolFont)),
      font,
    );
  }

  #fieldOf(meta: MetaCharacter): string {
    const { deck, fields } = this.#place;
    const text = fields[meta];
    // The file has no text for it: what is shown is the moment in which it is shown.
    if (text === undefined && (meta === "presentTime" || meta === "date")) deck.presentTimeCount++;
    return text ?? "";
  }
}

interface Cut {
  readonly begin: number;
  readonly end: number;
  readonly run: CharacterRun | undefined;
  readonly link: string | undefined;
}

function formatOf(run: CharacterRun | undefined): number {
  if (run === undefined) return 0;
  let format = 0;
  if (run.isBold) format |= runFormat.bold;
  if (run.isItalic) format |= runFormat.italic;
  if (run.position > 0) format |= runFormat.superscript;
  if (run.position < 0) format |= runFormat.subscript;
  return format;
}
