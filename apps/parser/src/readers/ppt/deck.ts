import type { Bullet } from "../slide-lines.ts";
import type { ReadContext } from "../reader.ts";
import type { PresentationFile } from "./open-presentation.ts";
import { Pictures } from "./pictures.ts";
import {
  findExtension,
  findPath,
  findRecord,
  findString,
  numberAt,
  type PptRecord,
  recordsIn,
  recordType,
} from "./records.ts";
import { readMasterBullets } from "./text-runs.ts";
import { textTypes } from "./text-parts.ts";

/** A slide, a master or a page of notes as the document lists it. */
export interface SlideEntry {
  readonly persistId: number;
  readonly slideId: number;
  /** The records of its titles and bodies, which its shapes refer to. */
  readonly outline: readonly PptRecord[];
}

/** Which of the lists of the document ([MS-PPT] 2.4.14.3 to 2.4.14.5). */
const listInstances = { slides: 0, masters: 1, notes: 2 } as const;

/** What all slides of a presentation share, and what is told at the end. */
export class Deck {
  readonly file: PresentationFile;
  readonly context: ReadContext;
  readonly slides: readonly SlideEntry[];
  readonly fonts: readonly string[];
  readonly pictures: Pictures;
  /** `StyleTextProp9Atom` of outline texts by slide and type. */
  readonly outlineStyles: ReadonlyMap<string, Buffer>;
  commentCount = 0;
  presentTimeCount = 0;
  masterShapeCount = 0;
  readonly hiddenSlides: number[] = [];
  readonly damagedSlides: number[] = [];
  /** Masters whose own text was looked at. */
  readonly readMasters = new Set<PptRecord>();
  readonly #masters: ReadonlyMap<number, number>;
  readonly #notes: ReadonlyMap<number, number>;
  readonly #links: ReadonlyMap<number, string>;
  readonly #objects: ReadonlyMap<number, string>;
  readonly #bullets = new Map<Buffer | undefined, Map<number, readonly (boolean | undefined)[]>>();

  constructor(file: PresentationFile, context: ReadContext) {
    const { document } = file;
    this.file = file;
    this.context = context;
    this.slides = listEntries(document, listInstances.slides);
    this.fonts = listFonts(document);
    this.pictures = new Pictures(file, context.options);
    this.outlineStyles = listOutlineStyles(document);
    this.#masters = numbersById(listEntries(document, listInstances.masters));
    this.#notes = numbersById(listEntries(document, listInstances.notes));
    const objects = findRecord(document, recordType.externalObjects)?.body;
    this.#links = listLinks(objects);
    this.#objects = listObjects(objects);
  }

  openMaster(slideId: number): PptRecord | undefined {
    const persistId = this.#masters.get(slideId);
    return persistId === undefined ? undefined : this.file.open(persistId);
  }

  openNotes(slideId: number): PptRecord | undefined {
    const persistId = this.#notes.get(slideId);
    return persistId === undefined ? undefined : this.file.open(persistId);
  }

  addressOf(linkId: number | undefined): string | undefined {
    return linkId === undefined ? undefined : this.#links.get(linkId);
  }

  programOf(objectId: number): string | undefined {
    return this.#objects.get(objectId);
  }

  /** Whether a master gives texts of this type bullets at this level. */
  bulletOf(master: Buffer | undefined, textType: number, level: number): Bullet {
    const types = this.#bulletsOf(master);
    const [own, ancestor = own] =
      textType >= textTypes.centredBody ? [types.get(textType), types.get(baseOf(textType))] : [types.get(textType)];
    const isBulleted = own?.[level] ?? ancestor?.[level] ?? false;
    return { kind: isBulleted ? "bullet" : "none", start: 1 };
  }

  #bulletsOf(master: Buffer | undefined): Map<number, readonly (boolean | undefined)[]> {
    const known = this.#bullets.get(master);
    if (known !== undefined) return known;
    const bullets = new Map<number, readonly (boolean | undefined)[]>();
    for (const source of [findPath(this.file.document, recordType.environment), master]) {
      if (source === undefined) continue;
      for (const { type, instance, body } of recordsIn(source))
        if (type === recordType.masterTextStyles) bullets.set(instance, readMasterBullets(body, instance));
    }
    this.#bullets.set(master, bullets);
    return bullets;
  }
}

// Centred, half and quarter texts look like bodies but for what they say themselves ([MS-PPT] 2.9.36).
function baseOf(textType: number): number {
  return textType === textTypes.centredTitle ? textTypes.title : textTypes.body;
}

function listEntries(document: Buffer | undefined, instance: number): SlideEntry[] {
  const list = findRecord(document, recordType.slideList, instance)?.body;
  const entries: { persistId: number; slideId: number; outline: PptRecord[] }[] = [];
  const seen = new Set<number>();
  for (const record of list === undefined ? [] : recordsIn(list)) {
    if (record.type !== recordType.slidePersist) {
      entries.at(-1)?.outline.push(record);
      continue;
    }
    const [persistId, slideId] = [numberAt(record.body, 0), numberAt(record.body, 12)];
    // A slide that is listed twice would cost as much again.
    if (persistId === undefined || slideId === undefined || seen.has(persistId)) continue;
    seen.add(persistId);
    entries.push({ persistId, slideId, outline: [] });
  }
  return entries;
}

function numbersById(entries: readonly SlideEntry[]): ReadonlyMap<number, number> {
  return new Map(entries.map(({ slideId, persistId }) => [slideId, persistId]));
}

function listFonts(document: Buffer | undefined): string[] {
  const fonts = findPath(document, recordType.environment, recordType.fonts);
  const names: string[] = [];
  for (const { type, instance, body } of fonts === undefined ? [] : recordsIn(fonts))
    if (type === recordType.font) names[instance] = body.toString("utf16le", 0, 64).split("\0", 1)[0] ?? "";
  return names;
}

function listOutlineStyles(document: Buffer | undefined): ReadonlyMap<string, Buffer> {
  const styles = new Map<string, Buffer>();
  const outline = findRecord(
    findExtension(findRecord(document, recordType.list)?.body, "___PPT9"),
    recordType.outlineStyles9,
  );
  let key = "";
  for (const { type, body } of outline === undefined ? [] : recordsIn(outline.body)) {
    if (type === recordType.outlineHeader9) key = outlineKey(numberAt(body, 0) ?? 0, numberAt(body, 4) ?? 0);
    else if (type === recordType.textStyles9 && !styles.has(key)) styles.set(key, body);
  }
  return styles;
}

export function outlineKey(slideId: number, textType: number): string {
  return `${slideId}/${textType}`;
}

/** Addresses that are longer would repeat with every link to them. */
const maxAddress = 4_096;

// `ExHyperlinkContainer`: its number, then strings of which the second is the address ([MS-PPT] 2.10.16).
function listLinks(objects: Buffer | undefined): ReadonlyMap<number, string> {
  const links = new Map<number, string>();
  for (const { type, body } of objects === undefined ? [] : recordsIn(objects)) {
    if (type !== recordType.externalLink) continue;
    const id = numberAt(findRecord(body, recordType.externalLinkAtom)?.body, 0);
    const address = findString(body, 1)?.trim() ?? "";
    if (id !== undefined && /^(?:https?|ftp|mailto):/i.test(address) && address.length <= maxAddress)
      links.set(id, address);
  }
  return links;
}

const objectTypes: ReadonlySet<number> = new Set([
  recordType.externalEmbedded,
  recordType.externalLinked,
  recordType.externalControl,
]);

// `ExOleObjAtom`: the number of the object is its third field; the second string names its program ([MS-PPT] 2.10.12).
function listObjects(objects: Buffer | undefined): ReadonlyMap<number, string> {
  const programs = new Map<number, string>();
  for (const { type, body } of objects === undefined ? [] : recordsIn(objects)) {
    if (!objectTypes.has(type)) continue;
    const id = numberAt(findRecord(body, recordType.externalObject)?.body, 8);
    const program = (findString(body, 2) ?? "").replaceAll(/[^\w. -]/g, "").slice(0, 80);
    if (id !== undefined) programs.set(id, program || "unknown program");
  }
  return programs;
}
