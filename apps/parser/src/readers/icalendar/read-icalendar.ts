import { AppError } from "@attune/service-kit/app-error.ts";
import { countBlocks } from "../../document/count-blocks.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { shiftHeadings } from "../../document/shift-headings.ts";
import { readInputText } from "../../text/read-input-text.ts";
import { mailTextBlocks } from "../mail-text-blocks.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { toIsoTime } from "./calendar-time.ts";
import { entryBlocks, summaryOf } from "./entry-blocks.ts";
import { textOf, textsOf } from "./property.ts";
import { joinSplitCharacters } from "./join-split-characters.ts";
import { type Component, walkComponents, type WalkNotes } from "./walk-components.ts";

/**
 * Reads calendars (RFC 5545, 7986, vCalendar 1.0): every entry under its summary, in the order of the file, below the name
 * of its calendar where that has one. Alarms and definitions of time zones are left out.
 */
export const readICalendar: ReadDocument = async (input, context) => {
  const text = readInputText({ ...input, bytes: joinSplitCharacters(input.bytes) }, context);
  const notes = newNotes();
  const calendars = await readCalendars(walkComponents(text, notes), context);
  const entries = calendars.flatMap(({ only }) => only);
  const entryCount = calendars.reduce((sum, calendar) => sum + calendar.entryCount, 0);
  if (calendars.length === 0) {
    context.warn("The file has no calendar; its text is kept as it stands.");
    return { metadata: {}, blocks: mailTextBlocks(text) };
  }
  tellNotes(notes, context);
  if (entryCount === 0) context.warn("The calendar has no events, to-dos or journal entries.");
  return { metadata: metadataOf(calendars, entryCount === 1 ? entries[0] : undefined), blocks: toBlocks(calendars) };
};

interface Calendar {
  /** The calendar's own properties, which may follow its entries; empty when the file ends before. */
  head: Component;
  readonly blocks: Block[];
  /** The first entry. */
  only: readonly Component[];
  entryCount: number;
}

async function readCalendars(components: Iterable<Component>, context: ReadContext): Promise<Calendar[]> {
  const calendars: Calendar[] = [];
  let open: Calendar | undefined;
  let blockCount = 0;
  for (const component of components) {
    if (context.budget.isTimeSpent && calendars.length > 0) {
      context.warn("Time ran out: the last entries of the calendar were left out.");
      break;
    }
    if (open === undefined) calendars.push((open = newCalendar()));
    if (component.name === "VCALENDAR") {
      open.head = component;
      open = undefined;
      continue;
    }
    const blocks = await entryBlocks(component, context);
    blockCount += countBlocks(blocks);
    assertBlocks(blockCount, context);
    if (open.entryCount++ === 0) open.only = [component];
    for (const block of blocks) open.blocks.push(block);
  }
  return calendars;
}

function newCalendar(): Calendar {
  return { head: { name: "VCALENDAR", properties: [] }, blocks: [], only: [], entryCount: 0 };
}

function assertBlocks(count: number, { budget }: ReadContext): void {
  const { maxBlocks } = budget.limits;
  if (count <= maxBlocks) return;
  throw new AppError("LIMIT_EXCEEDED", { detail: `It has more than ${maxBlocks} blocks (PARSER_MAX_BLOCKS).` });
}

// A name that is the same as before stands once: some programs write every event into a calendar of its own.
function toBlocks(calendars: readonly Calendar[]): Block[] {
  const names = calendars.map(({ head }) => factOf(head, ["NAME", "X-WR-CALNAME"]));
  const isNamed = names.some((name) => name !== undefined);
  return calendars.flatMap(({ head, blocks }, index) => {
    const name = names[index];
    const isRepeated = name !== undefined && name === names[index - 1];
    return [...(isRepeated ? [] : headBlocks(head, name)), ...shiftHeadings(blocks, isNamed ? 1 : 0)];
  });
}

function headBlocks(head: Component, name: string | undefined): Block[] {
  const description = factOf(head, ["DESCRIPTION", "X-WR-CALDESC"]);
  const zone = factOf(head, ["X-WR-TIMEZONE"]);
  return [
    ...(name === undefined ? [] : [{ type: "heading" as const, level: 1, inlines: [name] }]),
    ...(description === undefined ? [] : mailTextBlocks(description)),
    ...(zone === undefined ? [] : [{ type: "paragraph" as const, inlines: [`Time zone: ${zone}`] }]),
  ];
}

function factOf({ properties }: Component, names: readonly string[]): string | undefined {
  for (const name of names) {
    const property = properties.find((candidate) => candidate.name === name && candidate.value.trim() !== "");
    if (property !== undefined) return textOf(property).trim();
  }
  return undefined;
}

// The first calendar speaks for the file; a file of one entry is about that entry.
function metadataOf([calendar]: readonly Calendar[], entry: Component | undefined): Metadata {
  const head = calendar?.head ?? { name: "VCALENDAR", properties: [] };
  const sources = [head, ...(entry === undefined ? [] : [entry])];
  const time = (name: string): string | undefined =>
    sources.map(({ properties }) => toIsoTime(properties.find((property) => property.name === name))).find(Boolean);
  const keywords = sources.flatMap(({ properties }) =>
    properties.filter(({ name }) => name === "CATEGORIES").flatMap(textsOf),
  );
  const facts = {
    title: factOf(head, ["NAME", "X-WR-CALNAME"]) ?? (entry && summaryOf(entry)),
    subject: factOf(head, ["DESCRIPTION", "X-WR-CALDESC"]),
    keywords: keywords.length === 0 ? undefined : [...new Set(keywords)],
    createdAt: time("CREATED"),
    modifiedAt: time("LAST-MODIFIED"),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function newNotes(): WalkNotes {
  return {
    broken: { count: 0, first: 0 },
    loose: { count: 0, first: 0 },
    unclosed: 0,
    droppedProperties: 0,
    unknown: new Set(),
  };
}

function tellNotes({ broken, loose, unclosed, droppedProperties, unknown }: WalkNotes, context: ReadContext): void {
  if (broken.count > 0) {
    context.warn(`Lines that are no calendar properties were left out: ${broken.count}, the first is ${broken.first}.`);
  }
  if (loose.count > 0) {
    context.warn(
      `Lines that are not folded were taken as part of the text before them: ${loose.count}, the first is ${loose.first}.`,
    );
  }
  if (unclosed > 0) context.warn(`Parts of the calendar that do not end were read as far as they go: ${unclosed}.`);
  if (droppedProperties > 0) context.warn(`Properties of very long entries were left out: ${droppedProperties}.`);
  if (unknown.size > 0) context.warn(`Unknown parts of the calendar were left out: ${[...unknown].join(", ")}.`);
}
