/** A run of text, with the changes of its characters in hexadecimal. */
export type MadeRun = string | readonly [text: string, changes: string];

export interface MadeParagraph {
  readonly runs: readonly MadeRun[];
  /** A paragraph's own mark when absent. */
  readonly mark?: string;
  readonly style?: number;
  /** Changes of the paragraph in hexadecimal. */
  readonly changes?: string;
}

/** Where the text begins in the main stream. */
export const textOffset = 0x600;

export interface EncodedDocText {
  readonly main: Buffer;
  readonly lengths: readonly [main: number, notes: number, boxes: number];
  /** Numbers of the pages that hold formatting. */
  readonly characterPages: readonly number[];
  readonly paragraphPages: readonly number[];
}

interface Formatted {
  readonly end: number;
  readonly group: Buffer;
}

type Stories = readonly [
  main: readonly MadeParagraph[],
  notes: readonly MadeParagraph[],
  boxes: readonly MadeParagraph[],
];

/** The text of all stories behind the place of the block, and pages of formatting behind it. */
export function encodeDocText(stories: Stories, isWord6: boolean): EncodedDocText {
  const text = new TextEncoding(isWord6 ? 1 : 2);
  const [main, notes, boxes] = stories.map((paragraphs) => text.add(paragraphs));
  const body = Buffer.concat([Buffer.alloc(textOffset), Buffer.from(text.text, isWord6 ? "latin1" : "utf16le")]);
  const pages: Buffer[] = [Buffer.concat([body, Buffer.alloc(-body.length & 511)])];
  const characterPages = addPages(pages, text.characters, { entryBytes: 1, writeGroup: writeCharacterGroup });
  const writeGroup = isWord6 ? writeParagraphGroup6 : writeParagraphGroup;
  const paragraphPages = addPages(pages, text.paragraphs, { entryBytes: isWord6 ? 7 : 13, writeGroup });
  return { main: Buffer.concat(pages), lengths: [main ?? 0, notes ?? 0, boxes ?? 0], characterPages, paragraphPages };
}

class TextEncoding {
  text = "";
  readonly characters: Formatted[] = [];
  readonly paragraphs: Formatted[] = [];
  readonly #unitBytes: number;

  constructor(unitBytes: number) {
    this.#unitBytes = unitBytes;
  }

  /** Adds a story; returns how many characters it has. */
  add(story: readonly MadeParagraph[]): number {
    const start = this.text.length;
    for (const { runs, mark = "\r", style = 0, changes = "" } of story) {
      for (const run of runs) this.#addRun(run);
      if (mark !== "") this.#addRun(mark);
      const number = Buffer.from([style & 0xff, style >> 8]);
      this.paragraphs.push({ end: this.#end, group: Buffer.concat([number, Buffer.from(changes, "hex")]) });
    }
    return this.text.length - start;
  }

  #addRun(run: MadeRun): void {
    const [content, group] = typeof run === "string" ? [run, ""] : run;
    this.text += content;
    this.characters.push({ end: this.#end, group: Buffer.from(group, "hex") });
  }

  get #end(): number {
    return textOffset + this.#unitBytes * this.text.length;
  }
}

interface PageKind {
  readonly entryBytes: number;
  readonly writeGroup: (group: Buffer) => Buffer;
}

const runsOnPage = 4;

function addPages(pages: Buffer[], runs: readonly Formatted[], { entryBytes, writeGroup }: PageKind): number[] {
  const numbers: number[] = [];
  for (let first = 0; first < runs.length; first += runsOnPage) {
    const onPage = runs.slice(first, first + runsOnPage);
    const page = Buffer.alloc(512);
    page.writeUInt32LE(runs[first - 1]?.end ?? textOffset, 0);
    let groupAt = 510;
    for (const [index, { end, group }] of onPage.entries()) {
      page.writeUInt32LE(end, 4 * (index + 1));
      const written = writeGroup(group);
      groupAt = (groupAt - written.length) & ~1;
      written.copy(page, groupAt);
      page[4 * (onPage.length + 1) + entryBytes * index] = written.length === 0 ? 0 : groupAt / 2;
    }
    page[511] = onPage.length;
    numbers.push((pages[0] ?? page).length / 512 + pages.length - 1);
    pages.push(page);
  }
  return numbers;
}

function writeCharacterGroup(group: Buffer): Buffer {
  return group.length === 0 ? group : Buffer.concat([Buffer.from([group.length]), group]);
}

// Of an even number of bytes, the size stands after a zero.
function writeParagraphGroup(group: Buffer): Buffer {
  const isEven = group.length % 2 === 0;
  return Buffer.concat([isEven ? Buffer.from([0, group.length / 2]) : Buffer.from([(group.length + 1) / 2]), group]);
}

function writeParagraphGroup6(group: Buffer): Buffer {
  return Buffer.concat([Buffer.from([Math.ceil(group.length / 2)]), group]);
}
