import { AppError } from "@attune/service-kit/app-error.ts";
import { type OpcElement, walkOpcElements } from "../../containers/opc-element.ts";
import { decodeXml } from "../../containers/opc-package.ts";
import { readOpcProperties } from "../../containers/opc-properties.ts";
import type { Block, Footnote, Metadata } from "../../document/document.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { openWordPackage } from "./open-word-package.ts";
import { StoryReader } from "./read-story.ts";
import { type NoteKind, WordReading } from "./word-reading.ts";

/** Word documents in Office Open XML, transitional and strict, macro-enabled or not, and in Flat OPC. */
export const readDocx: ReadDocument = async (input, context) => {
  const warn = (sentence: string): void => context.warn(sentence);
  const { opc, mainPart } = openWordPackage(input.bytes, { budget: context.budget, warn });
  if (context.options.pages.length > 0)
    context.warn("Word documents have no fixed pages: the whole document was read.");
  const reading = new WordReading(opc, mainPart, context);
  await readChunks(reading);
  const body = readBody(reading);
  const footnotes = readNotes(reading);
  reading.tellLeftOut();
  return { metadata: metadataOf(reading), blocks: [...body, ...footnotes] };
};

function metadataOf({ opc, context, styles }: WordReading): Metadata {
  const maxDepth = context.budget.limits.maxMarkupDepth;
  const metadata = readOpcProperties(opc, { maxDepth, warn: (sentence) => context.warn(sentence) });
  const { language } = styles;
  return metadata.language === undefined && language !== undefined ? { ...metadata, language } : metadata;
}

// Chunks are whole files in other formats, such as HTML, whose content stands in place of a mark in the text.
async function readChunks({ opc, mainPart, context, chunks }: WordReading): Promise<void> {
  for (const relationship of opc.relationshipsOf(mainPart).all) {
    if (relationship.kind !== "aFChunk" || relationship.isExternal) continue;
    const bytes = opc.read(relationship.target);
    if (bytes !== undefined)
      chunks.set(relationship.id, await readChunk({ bytes, partName: relationship.target }, context));
  }
}

interface Chunk {
  readonly bytes: Uint8Array;
  readonly partName: string;
}

async function readChunk({ bytes, partName }: Chunk, context: ReadContext): Promise<readonly Block[]> {
  const fileName = partName.split("/").at(-1) ?? partName;
  try {
    return (await context.readPart({ bytes, fileName })).blocks;
  } catch (error) {
    if (!(error instanceof AppError) || error.reason === "LIMIT_EXCEEDED") throw error;
    context.warn(`The part ${fileName.slice(0, 200)} inside the document was left out: ${error.reason}.`);
    return [];
  }
}

function readBody(reading: WordReading): Block[] {
  const { opc, mainPart, context } = reading;
  const { limits } = context.budget;
  const story = new StoryReader(reading, opc.relationshipsOf(mainPart));
  const sections: SectionParts = { headers: new Set(), footers: new Set() };
  let hasBody = false;
  let isStopped = false;
  walkOpcElements(decodeXml(opc.read(mainPart) ?? new Uint8Array()), {
    maxDepth: limits.maxMarkupDepth,
    isUnit: (_, parentName) => {
      hasBody ||= parentName === "w:body";
      return parentName === "w:body";
    },
    visit: (element) => {
      if (isStopped) return;
      story.add(element);
      if (context.options.headersFooters === "keep") findSectionParts(element, sections);
      isStopped = context.budget.isTimeSpent;
    },
  });
  if (isStopped) context.warn("Reading took longer than allowed: the end of the document was left out.");
  const blocks = story.finish();
  if (!hasBody && blocks.length === 0 && !hasBodyElement(reading)) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "Its main part has no body." });
  }
  return [...readSectionParts(sections.headers, reading), ...blocks, ...readSectionParts(sections.footers, reading)];
}

function hasBodyElement({ opc, mainPart }: WordReading): boolean {
  return /<(?:\w+:)?body\b/.test(decodeXml(opc.read(mainPart) ?? new Uint8Array()));
}

interface SectionParts {
  readonly headers: Set<string>;
  readonly footers: Set<string>;
}

// Ids of relationships to running heads and feet, each once.
function findSectionParts(element: OpcElement, sections: SectionParts): void {
  const section = element.name === "w:sectPr" ? element : element.path("w:pPr", "w:sectPr");
  for (const reference of section?.elements("w:headerReference") ?? [])
    sections.headers.add(reference.get("r:id") ?? "");
  for (const reference of section?.elements("w:footerReference") ?? [])
    sections.footers.add(reference.get("r:id") ?? "");
}

function readSectionParts(ids: ReadonlySet<string>, reading: WordReading): Block[] {
  const parts: Block[][] = [];
  for (const id of ids) {
    const relationship = reading.opc.relationshipsOf(reading.mainPart).byId(id);
    const root =
      relationship === undefined || relationship.isExternal ? undefined : reading.readTree(relationship.target);
    if (relationship === undefined || root === undefined) continue;
    parts.push(new StoryReader(reading, reading.opc.relationshipsOf(relationship.target)).readBlocks(root));
  }
  return parts.flat();
}

/** Notes that the text refers to, in the order of the references; notes may refer to others. */
function readNotes(reading: WordReading): Footnote[] {
  const footnotes: Footnote[] = [];
  const parts = new Map<NoteKind, NotePart | undefined>();
  for (let index = 0; index < reading.noteUses.length; index++) {
    const { kind, noteId, id } = reading.noteUses[index] ?? { kind: "footnote", noteId: "", id: "" };
    if (!parts.has(kind)) parts.set(kind, openNotePart(kind, reading));
    const part = parts.get(kind);
    const element = part?.notes.get(noteId);
    if (part === undefined || element === undefined) {
      reading.count("notes");
      continue;
    }
    const blocks = new StoryReader(reading, reading.opc.relationshipsOf(part.partName)).readBlocks(element);
    footnotes.push({ type: "footnote", id, blocks });
  }
  return footnotes;
}

interface NotePart {
  readonly partName: string;
  readonly notes: ReadonlyMap<string, OpcElement>;
}

function openNotePart(kind: NoteKind, reading: WordReading): NotePart | undefined {
  const partName = reading.opc.relationshipsOf(reading.mainPart).partOfKind(`${kind}s`);
  const root = partName === undefined ? undefined : reading.readTree(partName);
  if (partName === undefined || root === undefined) return undefined;
  return { partName, notes: new Map(root.elements(`w:${kind}`).map((note) => [note.get("w:id") ?? "", note])) };
}
