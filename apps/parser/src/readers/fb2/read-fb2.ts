import { AppError } from "@attune/service-kit/app-error.ts";
import type { Block } from "../../document/document.ts";
import { readInputText } from "../../text/read-input-text.ts";
import { childElements, elementText, findDescendant, parseXmlTree, type XmlElement } from "../../xml/xml-tree.ts";
import type { ReadDocument } from "../reader.ts";
import { readMetadata } from "./fb2-metadata.ts";
import { type Book, BookWriter } from "./book-writer.ts";

/** Reads a FictionBook: annotation, then the bodies with sections as headings; bodies of notes become footnotes. */
export const readFb2: ReadDocument = (input, context) => {
  const xml = readInputText(input, context);
  const root = findDescendant(parseXmlTree(xml, context.budget.limits.maxMarkupDepth), "FictionBook");
  if (root === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no FictionBook element." });
  const book: Book = {
    budget: context.budget,
    noteIds: noteIdsOf(root),
    pictures: context.options.images === "data_uri" ? picturesOf(root) : new Map(),
  };
  const writer = new BookWriter(book);
  const about = writer.annotation(findDescendant(root, "title-info"));
  const bodies = childElements(root, "body").map((body) => writer.body(body, isNotes(body)));
  const blocks: Block[] = [about, ...bodies].flat();
  return { metadata: readMetadata(root), blocks };
};

function isNotes(body: XmlElement): boolean {
  return /^(?:notes|comments|footnotes)$/.test(body.attributes.get("name") ?? "");
}

function noteIdsOf(root: XmlElement): Set<string> {
  const sections = childElements(root, "body")
    .filter(isNotes)
    .flatMap((body) => sectionsBelow(body));
  return new Set(sections.map(({ attributes }) => attributes.get("id") ?? "").filter((id) => id !== ""));
}

function sectionsBelow(element: XmlElement): XmlElement[] {
  return childElements(element, "section").flatMap((section) => [section, ...sectionsBelow(section)]);
}

function picturesOf(root: XmlElement): Book["pictures"] {
  return new Map(
    childElements(root, "binary").map((binary) => [
      binary.attributes.get("id") ?? "",
      {
        mediaType: binary.attributes.get("content-type") ?? "image/jpeg",
        bytes: Buffer.from(elementText(binary), "base64"),
      },
    ]),
  );
}
