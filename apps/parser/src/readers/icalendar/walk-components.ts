import { parseProperty, type Property } from "./property.ts";
import { unfoldLines } from "./unfold-lines.ts";

/** A calendar, or an entry in one. */
export interface Component {
  readonly name: string;
  readonly properties: readonly Property[];
}

export interface WalkNotes {
  /** Of lines that are no property and continue no text. */
  readonly broken: LineCount;
  /** Of lines that were taken as the continuation of the text before them. */
  readonly loose: LineCount;
  unclosed: number;
  droppedProperties: number;
  /** Names of components that nothing is read of. */
  readonly unknown: Set<string>;
}

interface LineCount {
  count: number;
  first: number;
}

/** Every entry when it ends, and every calendar after its entries; what is amiss is counted in `notes`. */
export function* walkComponents(text: string, notes: WalkNotes): Generator<Component> {
  const walker = new Walker(notes);
  for (const { text: line, number } of unfoldLines(text)) {
    for (const piece of splitJoined(line)) {
      const property = parseProperty(piece);
      if (property?.name === "BEGIN") yield* walker.begin(nameIn(property));
      else if (property?.name === "END") yield* walker.end(nameIn(property), number);
      else if (property !== undefined && isBelievable(property, piece)) walker.add(property);
      else walker.addLoose(piece, number);
    }
  }
  yield* walker.closeAll();
}

// Files put together without a line end between them, and programs that forget one.
function splitJoined(line: string): readonly string[] {
  const at = line.search(/(?!^)(?:BEGIN|END):V(?:CALENDAR|EVENT|TODO|JOURNAL)[ \t]{0,40}$/);
  return at < 0 ? [line] : [line.slice(0, at), line.slice(at)];
}

const entries = new Set(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"]);
const leftOut = new Set(["VALARM", "VTIMEZONE", "STANDARD", "DAYLIGHT"]);
const texts = new Set(["SUMMARY", "DESCRIPTION", "COMMENT", "LOCATION", "CONTACT", "X-ALT-DESC", "X-WR-CALDESC"]);
// Calendars nest three deep.
const maxDepth = 20;
const maxProperties = 50_000;
const maxUnknown = 10;

function nameIn({ value }: Property): string {
  return value.trim().toUpperCase().slice(0, 60);
}

// A line of a text that was not folded, such as `Note: bring cake` or an address, looks like a property.
function isBelievable({ name, value }: Property, line: string): boolean {
  const isWrittenLarge = line.trimStart().startsWith(name);
  if (texts.has(name) || known.test(name)) return isWrittenLarge || !value.startsWith(" ");
  return isWrittenLarge && !/^(?: \S|\/\/)/.test(value);
}

const known = /^(?:DT(?:START|END|STAMP)|DUE|RRULE|ORGANIZER|ATTENDEE|STATUS|URL|UID|VERSION|CATEGORIES|X-.+)$/;

interface OpenProperty extends Property {
  value: string;
}

interface Frame {
  readonly name: string;
  readonly properties: OpenProperty[];
}

class Walker {
  readonly #notes: WalkNotes;
  readonly #stack: Frame[] = [];
  #blankLines = 0;

  constructor(notes: WalkNotes) {
    this.#notes = notes;
  }

  *begin(name: string): Generator<Component> {
    if (name === "VCALENDAR") yield* this.#closeDownTo(0);
    if (entries.has(name)) yield* this.#closeDownTo(this.#stack[0]?.name === "VCALENDAR" ? 1 : 0);
    const isKnown = name === "VCALENDAR" || entries.has(name) || leftOut.has(name);
    if (!isKnown && this.#notes.unknown.size < maxUnknown) this.#notes.unknown.add(name);
    if (this.#stack.length < maxDepth) this.#stack.push({ name, properties: [] });
  }

  *end(name: string, line: number): Generator<Component> {
    const depth = this.#stack.findLastIndex((frame) => frame.name === name);
    if (depth < 0) {
      count(this.#notes.broken, line);
      return;
    }
    yield* this.#closeDownTo(depth + 1);
    yield* this.#pop();
  }

  closeAll(): Generator<Component> {
    return this.#closeDownTo(0);
  }

  add(property: Property): void {
    const frame = this.#stack.at(-1);
    this.#blankLines = 0;
    if (frame === undefined || !isRead(frame)) return;
    if (frame.properties.length < maxProperties) frame.properties.push({ ...property });
    else this.#notes.droppedProperties++;
  }

  addLoose(line: string, number: number): void {
    const frame = this.#stack.at(-1);
    if (line.trim() === "") this.#blankLines++;
    else if (frame === undefined || isRead(frame)) {
      const last = frame?.properties.at(-1);
      if (last !== undefined && texts.has(last.name)) {
        last.value += `${this.#blankLines > 0 ? "\n\n" : "\n"}${line}`;
        count(this.#notes.loose, number);
      } else count(this.#notes.broken, number);
      this.#blankLines = 0;
    }
  }

  *#closeDownTo(depth: number): Generator<Component> {
    while (this.#stack.length > depth) {
      this.#notes.unclosed++;
      yield* this.#pop();
    }
  }

  *#pop(): Generator<Component> {
    const frame = this.#stack.pop();
    if (frame !== undefined && isRead(frame)) yield frame;
  }
}

function isRead({ name }: Frame): boolean {
  return name === "VCALENDAR" || entries.has(name);
}

function count(lines: LineCount, line: number): void {
  if (lines.count++ === 0) lines.first = line;
}
