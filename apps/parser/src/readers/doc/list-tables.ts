import {
  maxNumberingLabel,
  type Numbering,
  type NumberingLevel,
  numberingLevelCount,
} from "../../containers/word-numbering.ts";
import { i16, i32, u16, u32, u8 } from "./bytes.ts";
import { numberFormatOf } from "./number-format-codes.ts";
import { applyParagraphGroup, type ParagraphChanges } from "./paragraph-changes.ts";

interface ListDefinition {
  readonly levels: readonly (NumberingLevel | undefined)[];
}

/** Lists of a document and what overrides them ([MS-DOC] 2.9.131 and 2.9.132), by the number of the override from 1. */
export class ListTables {
  readonly #definitions: ReadonlyMap<number, ListDefinition>;
  readonly #numberings: readonly Numbering[];

  /** `lists` goes on beyond its stated size, to the end of its stream: the levels follow it. */
  constructor(lists: Buffer, overrides: Buffer) {
    this.#definitions = readDefinitions(lists);
    this.#numberings = readOverrides(overrides, this.#definitions);
  }

  read(id: string): Numbering | undefined {
    return this.#numberings[Number(id) - 1];
  }
}

const definitionBytes = 28;

function readDefinitions(bytes: Buffer): Map<number, ListDefinition> {
  const definitions = new Map<number, ListDefinition>();
  const count = Math.min(Math.max(0, i16(bytes, 0)), Math.floor((bytes.length - 2) / definitionBytes));
  const reader = new LevelReader(bytes, 2 + Math.max(0, count) * definitionBytes);
  for (let index = 0; index < count; index++) {
    const at = 2 + index * definitionBytes;
    const isSimple = (u8(bytes, at + 26) & 1) !== 0;
    const levels: (NumberingLevel | undefined)[] = [];
    for (let level = 0; level < (isSimple ? 1 : numberingLevelCount); level++) {
      levels.push(reader.next(styleOf(i16(bytes, at + 8 + 2 * level))));
    }
    definitions.set(i32(bytes, at), { levels });
  }
  return definitions;
}

const noStyle = 0xfff;

function styleOf(index: number): string | undefined {
  return index < 0 || index === noStyle ? undefined : String(index);
}

const overrideBytes = 16;
const overrideLevelBytes = 8;

function readOverrides(bytes: Buffer, definitions: ReadonlyMap<number, ListDefinition>): Numbering[] {
  const count = Math.min(u32(bytes, 0), Math.floor(Math.max(0, bytes.length - 4) / overrideBytes));
  const reader = new LevelReader(bytes, 4 + count * overrideBytes);
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * overrideBytes;
    const listId = i32(bytes, at);
    const levels = [...(definitions.get(listId)?.levels ?? [])];
    const startOverrides = new Map<number, number>();
    reader.skip(4);
    for (let left = u8(bytes, at + 12); left > 0 && reader.hasMore; left--) {
      readOverride(reader, levels, startOverrides);
    }
    return { abstractId: String(listId), levels, startOverrides };
  });
}

function readOverride(
  reader: LevelReader,
  levels: (NumberingLevel | undefined)[],
  startOverrides: Map<number, number>,
): void {
  const start = i32(reader.bytes, reader.at);
  const flags = u32(reader.bytes, reader.at + 4);
  reader.skip(overrideLevelBytes);
  const level = flags & 0x0f;
  const replaced = (flags & 0x20) === 0 ? undefined : reader.next(levels[level]?.paragraphStyleId);
  if (level >= numberingLevelCount) return;
  if (replaced !== undefined) levels[level] = replaced;
  if ((flags & 0x10) !== 0) startOverrides.set(level, replaced?.start ?? start);
}

const levelBytes = 28;

/** Reads levels ([MS-DOC] 2.9.150), which follow one another without an index. */
class LevelReader {
  readonly bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get hasMore(): boolean {
    return this.#at < this.bytes.length;
  }

  skip(count: number): void {
    this.#at += count;
  }

  next(paragraphStyleId: string | undefined): NumberingLevel | undefined {
    const { bytes } = this;
    const at = this.#at;
    if (at + levelBytes + 2 > bytes.length) return undefined;
    const characterBytes = u8(bytes, at + 24);
    const paragraphBytes = u8(bytes, at + 25);
    const paragraphAt = at + levelBytes;
    const textAt = paragraphAt + paragraphBytes + characterBytes;
    const length = u16(bytes, textAt);
    this.#at = textAt + 2 + 2 * length;
    if (this.#at > bytes.length) return undefined;
    const flags = u8(bytes, at + 5);
    const format = numberFormatOf(u8(bytes, at + 4));
    return {
      start: i32(bytes, at),
      format,
      text: format === "bullet" ? "" : labelOf(bytes.toString("utf16le", textAt + 2, this.#at)),
      indent: indentOf(bytes.subarray(paragraphAt, paragraphAt + paragraphBytes)),
      restartAfter: (flags & 0x08) === 0 ? undefined : u8(bytes, at + 26),
      paragraphStyleId,
      isLegal: (flags & 0x04) !== 0,
    };
  }
}

// The number of a level stands in the text as a character of that number, from 0.
function labelOf(text: string): string {
  return Array.from(text.slice(0, maxNumberingLabel), (character) => {
    const level = character.charCodeAt(0);
    return level < numberingLevelCount ? `%${level + 1}` : character;
  }).join("");
}

function indentOf(group: Buffer): number | undefined {
  const changes: ParagraphChanges = {};
  applyParagraphGroup(changes, group, { isWord6: false, findGroup: () => undefined });
  return changes.indent;
}
