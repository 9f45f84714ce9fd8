import { AppError } from "@attune/service-kit/app-error.ts";
import { type WordLoss, WordLosses } from "../../containers/word-losses.ts";
import { NumberingCounters } from "../../containers/word-numbering.ts";
import type { ReadContext } from "../reader.ts";
import { readDrawings, type Drawings } from "./drawings.ts";
import { Fonts } from "./fonts.ts";
import { readCharacterRuns, readParagraphRuns } from "./formatting-pages.ts";
import { ListTables } from "./list-tables.ts";
import { type Note, readNotes } from "./notes.ts";
import type { FindGroup } from "./paragraph-changes.ts";
import { Pictures } from "./pictures.ts";
import { type PieceTable, readPieceTable } from "./piece-table.ts";
import { dataGroup } from "./data-group.ts";
import { RunLooks } from "./run-looks.ts";
import { type Stories, storiesOf } from "./stories.ts";
import { Stylesheet } from "./stylesheet.ts";
import { readTextBoxes, type TextBoxes } from "./text-boxes.ts";
import type { FormattedText } from "./walk-paragraphs.ts";
import type { WordFile } from "./word-file.ts";

const nothing = Buffer.alloc(0);

/** Fields that a converter fills anew (ECMA-376 part 1 §17.16.5). */
const fieldsOfConversion: ReadonlySet<string> = new Set(["DATE", "TIME", "FILENAME"]);

/** All that is known while one document is read. */
export class WordReading {
  readonly file: WordFile;
  readonly context: ReadContext;
  readonly stories: Stories;
  readonly text: FormattedText;
  readonly stylesheet: Stylesheet;
  readonly fonts: Fonts;
  readonly looks: RunLooks;
  readonly numbering: NumberingCounters;
  readonly drawings: Drawings;
  readonly textBoxes: TextBoxes;
  readonly findGroup: FindGroup;
  /** Whether some notes have marks that are text like any other. */
  readonly hasOwnMarks: boolean;
  readonly pictures: Pictures;
  readonly #notes = new Map<number, Note>();
  // In the order in which the text refers to them.
  readonly #noteIds = new Map<Note, string>();
  readonly #losses = new WordLosses();
  readonly #damaged = new Set<string>();
  #blockCount = 0;

  constructor(file: WordFile, context: ReadContext) {
    this.file = file;
    this.context = context;
    const { fib, main, data } = file;
    const { isWord6, languageId } = fib;
    const table = readPieceTable({ main, fib, clx: file.find("pieces") });
    this.text = {
      main,
      pieces: table.pieces,
      characters: readCharacterRuns({ main, isWord6, ...this.#pages("characterPages") }),
      paragraphs: readParagraphRuns({ main, isWord6, ...this.#pages("paragraphPages") }),
    };
    this.stories = storiesOf(fib.lengths, table.pieces.at(-1)?.end ?? 0);
    this.findGroup = limitGroups((offset) => dataGroup(data, offset), data.length);
    const source = { isWord6, findGroup: this.findGroup };
    this.stylesheet = new Stylesheet(this.#find("stylesheet", "styles") ?? nothing, source);
    this.fonts = new Fonts(this.#find("fonts", "fonts") ?? nothing, {
      isWord6,
      languageId,
      encoding: context.options.encoding,
    });
    this.looks = new RunLooks({ stylesheet: this.stylesheet, fonts: this.fonts, isWord6 });
    const lists = new ListTables(file.findFrom("lists") ?? nothing, file.findFrom("listOverrides") ?? nothing);
    this.numbering = new NumberingCounters((id) => lists.read(id));
    this.hasOwnMarks = this.#addNotes().some(({ hasOwnMark }) => hasOwnMark);
    this.drawings = readDrawings(file, this.stories);
    this.pictures = new Pictures(file, context);
    this.textBoxes = readTextBoxes(this);
    this.#tellFault(table);
  }

  /** The note that is referred to at a position of the text. */
  noteAt(position: number): Note | undefined {
    return this.#notes.get(position);
  }

  /** The id of a note in the document, the same each time it is referred to. */
  useNote(note: Note): string {
    const id = this.#noteIds.get(note) ?? String(this.#noteIds.size + 1);
    this.#noteIds.set(note, id);
    return id;
  }

  /** The notes that were referred to so far; it grows while they are read, as notes may refer to others. */
  get noteUses(): Iterable<readonly [Note, string]> {
    return this.#noteIds;
  }

  /** Whether the result of a field of this kind is no text of the document; counts those that are not. */
  leavesOutField(kind: string): boolean {
    const isLeftOut = this.context.options.conversionFields === "drop" && fieldsOfConversion.has(kind);
    if (isLeftOut) this.count("conversionFields");
    return isLeftOut;
  }

  count(what: WordLoss): void {
    this.#losses.count(what);
  }

  takeBlock(): void {
    const { maxBlocks } = this.context.budget.limits;
    if (++this.#blockCount > maxBlocks) {
      throw new AppError("LIMIT_EXCEEDED", { detail: `It has more than ${maxBlocks} blocks (PARSER_MAX_BLOCKS).` });
    }
  }

  tellLosses(): void {
    this.#losses.tell((sentence) => this.context.warn(sentence));
    for (const what of this.#damaged) {
      this.context.warn(`The file is damaged: its ${what} could not be read, and the text is without them.`);
    }
  }

  // Structures that the text can do without are told when they are lost.
  #find(name: Parameters<WordFile["find"]>[0], what: string): Buffer | undefined {
    const bytes = this.file.find(name);
    if (bytes === undefined && this.file.fib.places[name].sizeBytes > 0) this.#damaged.add(what);
    return bytes;
  }

  #pages(name: "characterPages" | "paragraphPages"): Pick<Parameters<typeof readCharacterRuns>[0], "index" | "pages"> {
    return { index: this.#find(name, "formats") ?? nothing, pages: this.file.fib[name] };
  }

  #addNotes(): readonly Note[] {
    const { footnotes, endnotes } = this.stories;
    const find = (name: Parameters<WordFile["find"]>[0]): Buffer => this.#find(name, "notes") ?? nothing;
    const all = [
      ...readNotes({ references: find("footnoteReferences"), texts: find("footnoteTexts"), story: footnotes }),
      ...readNotes({ references: find("endnoteReferences"), texts: find("endnoteTexts"), story: endnotes }),
    ];
    for (const note of all) this.#notes.set(note.position, note);
    return all;
  }

  #tellFault({ pieces, fault }: PieceTable): void {
    if (pieces.length === 0 && this.file.fib.lengths.main > 0) {
      throw new AppError("DOCUMENT_CORRUPT", { detail: "What says where its text lies is damaged or missing." });
    }
    if (this.file.isCut) this.context.warn("The file is cut short: what lay behind its end is missing.");
    if (fault !== undefined && (fault !== "cut" || !this.file.isCut)) this.context.warn(faults[fault]);
  }
}

/** Bytes of groups apart from paragraphs that are looked at, for each byte that there is, and in all files. */
const groupBytesPerByte = 8;
const leastGroupBytes = 4 << 20;

// Paragraphs of honest files do not share them a thousandfold.
function limitGroups(find: FindGroup, sizeBytes: number): FindGroup {
  let bytesLeft = Math.max(leastGroupBytes, groupBytesPerByte * sizeBytes);
  return (offset) => {
    const group = bytesLeft <= 0 ? undefined : find(offset);
    bytesLeft -= group?.length ?? 0;
    return group;
  };
}

const faults = {
  cut: "The file is damaged or cut short: a part of its text could not be found and is missing.",
  repeated: "The file is damaged: it repeats its text again and again, and what goes beyond its size was left out.",
  missing: "The file is damaged: what says where its text lies is missing, and some of the text may be wrong.",
} as const;
