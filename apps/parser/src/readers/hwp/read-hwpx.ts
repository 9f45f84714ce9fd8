import { AppError } from "@attune/service-kit/app-error.ts";
import { openZip, type ZipArchive } from "../../containers/zip.ts";
import type { Block, Metadata } from "../../document/document.ts";
import { decodeText } from "../../text/decode-text.ts";
import { childElements, elementText, findDescendant, parseXmlTree, type XmlElement } from "../../xml/xml-tree.ts";
import type { ReadContext, ReadDocument } from "../reader.ts";
import { HangulReading } from "./flow.ts";
import { readHead } from "./hwpx-head.ts";
import { readStory } from "./hwpx-story.ts";

/** Hangul documents in XML (OWPML, KS X 6101). */
export const readHwpx: ReadDocument = (input, context) => {
  const { budget } = context;
  const archive = openZip(input.bytes, budget);
  refuseEncryption(archive, context);
  const content = readPart("Contents/content.hpf", archive, context);
  const sections = listSections(content, archive);
  if (sections.length === 0) throw new AppError("DOCUMENT_CORRUPT", { detail: "The package has no sections." });
  const reading = new HangulReading(context);
  const head = readHead(readPart("Contents/header.xml", archive, context));
  const story = { head, reading, archive, files: listFiles(content) };
  const blocks: Block[] = [];
  for (const [index, name] of sections.entries()) {
    if (budget.isTimeSpent && blocks.length > 0) {
      context.warn(`Reading took longer than allowed: the sections from ${index + 1} on were left out.`);
      break;
    }
    const section = readPart(name, archive, context);
    for (const block of section === undefined ? [] : readStory(section, story)) blocks.push(block);
  }
  reading.tellLosses();
  return { metadata: metadataOf(content), blocks: [...blocks, ...reading.footnotes] };
};

function refuseEncryption(archive: ZipArchive, context: ReadContext): void {
  const manifest = readPart("META-INF/manifest.xml", archive, context);
  if (manifest !== undefined && findDescendant(manifest, "encryption-data") !== undefined)
    throw new AppError("ENCRYPTION_UNSUPPORTED", { detail: "It is protected by a password." });
}

function readPart(name: string, archive: ZipArchive, { budget }: ReadContext): XmlElement | undefined {
  const bytes = archive.read(name);
  if (bytes === undefined) return undefined;
  const [root] = childElements(parseXmlTree(decodeText(bytes).text, budget.limits.maxMarkupDepth));
  return root;
}

// In the order of the spine; without one, by their numbers.
function listSections(content: XmlElement | undefined, archive: ZipArchive): string[] {
  const files = listFiles(content);
  const spine = content && findDescendant(content, "spine");
  const listed = (spine === undefined ? [] : childElements(spine, "itemref")).flatMap((item) => {
    const name = files.get(item.attributes.get("idref") ?? "");
    return name !== undefined && /section\d+\.xml$/i.test(name) && archive.entries.has(name) ? [name] : [];
  });
  if (listed.length > 0) return [...new Set(listed)];
  const found = [...archive.entries.keys()].filter((name) => /^Contents\/section\d+\.xml$/i.test(name));
  return found.sort((a, b) => numberIn(a) - numberIn(b));
}

function numberIn(name: string): number {
  return Number(/(\d+)\.xml$/i.exec(name)?.[1] ?? 0);
}

/** Names of parts by their ids in the manifest of the package. */
function listFiles(content: XmlElement | undefined): ReadonlyMap<string, string> {
  const manifest = content && findDescendant(content, "manifest");
  return new Map(
    (manifest === undefined ? [] : childElements(manifest, "item")).map(({ attributes }) => [
      attributes.get("id") ?? "",
      attributes.get("href") ?? "",
    ]),
  );
}

function metadataOf(content: XmlElement | undefined): Metadata {
  const metadata = content && findDescendant(content, "metadata");
  if (metadata === undefined) return {};
  const facts = new Map(
    childElements(metadata, "meta").map((meta) => [meta.attributes.get("name"), elementText(meta)]),
  );
  const author = facts.get("creator") ?? "";
  const keywords = (facts.get("keyword") ?? "")
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  return {
    ...textFact("title", elementText(findDescendant(metadata, "title"))),
    ...(author !== "" && { authors: [author] }),
    ...textFact("subject", facts.get("subject")),
    ...(keywords.length > 0 && { keywords }),
    ...textFact("language", elementText(findDescendant(metadata, "language"))),
    ...dateFact("createdAt", facts.get("CreatedDate")),
    ...dateFact("modifiedAt", facts.get("ModifiedDate")),
  };
}

function textFact(key: "title" | "subject" | "language", text: string | undefined): Metadata {
  return text === undefined || text === "" ? {} : { [key]: text };
}

function dateFact(key: "createdAt" | "modifiedAt", text: string | undefined): Metadata {
  return text !== undefined && /^\d{4}-\d\d-\d\dT[\d:]+Z?$/.test(text) ? { [key]: text } : {};
}
