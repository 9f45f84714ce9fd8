import { numberAt, type PptRecord, recordType } from "./records.ts";

/** Kinds of text ([MS-PPT] 2.13.33). */
export const textTypes = { title: 0, body: 1, notes: 2, other: 4, centredBody: 5, centredTitle: 6 } as const;

/** What stands in a text in place of a character ([MS-PPT] 2.9.45 to 2.9.52). */
export type MetaCharacter = "slideNumber" | "presentTime" | "date" | "header" | "footer";

export interface TextLink {
  readonly begin: number;
  readonly end: number;
  /** Number of the hyperlink in the document. */
  readonly linkId: number;
}

/** A text as the file has it. */
export interface TextPart {
  readonly type: number;
  /** With `\r` after each paragraph but the last, `\v` for breaks of lines. */
  readonly text: string;
  /** `StyleTextPropAtom`. */
  readonly styles: Buffer | undefined;
  /** `StyleTextProp9Atom`. */
  readonly styles9: Buffer | undefined;
  /** In order. */
  readonly links: readonly TextLink[];
  readonly metaCharacters: ReadonlyMap<number, MetaCharacter>;
}

/** The texts among these records: a `TextHeaderAtom` begins each, and what follows belongs to it. */
export function readTextParts(records: Iterable<PptRecord>): TextPart[] {
  const parts: PartDraft[] = [];
  let linkId: number | undefined;
  for (const record of records) {
    if (record.type === recordType.textHeader) parts.push(draftOf(numberAt(record.body, 0) ?? textTypes.other));
    else if (record.type === recordType.interaction) linkId = linkOf(record.body);
    else if (isText(record)) {
      if (parts.length === 0) parts.push(draftOf(textTypes.other));
      addRecord(parts.at(-1) ?? draftOf(textTypes.other), record, linkId);
    }
  }
  return parts;
}

interface PartDraft extends TextPart {
  text: string;
  styles: Buffer | undefined;
  readonly links: TextLink[];
  readonly metaCharacters: Map<number, MetaCharacter>;
}

function draftOf(type: number): PartDraft {
  return { type, text: "", styles: undefined, styles9: undefined, links: [], metaCharacters: new Map() };
}

const metaCharacters: ReadonlyMap<number, MetaCharacter> = new Map([
  [recordType.slideNumber, "slideNumber"],
  [recordType.dateTime, "presentTime"],
  [recordType.formattedDateTime, "presentTime"],
  [recordType.genericDate, "date"],
  [recordType.header, "header"],
  [recordType.footer, "footer"],
]);

const textRecords: ReadonlySet<number> = new Set([
  recordType.textCharacters,
  recordType.textBytes,
  recordType.textStyles,
  recordType.textInteraction,
  ...metaCharacters.keys(),
]);

function isText({ type }: PptRecord): boolean {
  return textRecords.has(type);
}

function addRecord(part: PartDraft, { type, body }: PptRecord, linkId: number | undefined): void {
  switch (type) {
    case recordType.textCharacters:
      part.text = body.toString("utf16le");
      return;
    case recordType.textBytes:
      // The low bytes of UTF-16 whose high bytes are all zero ([MS-PPT] 2.9.43).
      part.text = body.toString("latin1");
      return;
    case recordType.textStyles:
      part.styles = body;
      return;
    case recordType.textInteraction:
      if (linkId !== undefined && body.length >= 8)
        part.links.push({ begin: body.readUInt32LE(0), end: body.readUInt32LE(4), linkId });
      return;
    default: {
      const meaning = metaCharacters.get(type);
      if (meaning !== undefined) part.metaCharacters.set(numberAt(body, 0) ?? -1, meaning);
    }
  }
}

/** The hyperlink of an `InteractiveInfo` ([MS-PPT] 2.6.1), if it leads to one. */
export function linkOf(interaction: Buffer): number | undefined {
  // The atom comes first: its header, the number of a sound, the number of the hyperlink; 0 for none.
  const linkId = numberAt(interaction, 8 + 4) ?? 0;
  return linkId === 0 ? undefined : linkId;
}
