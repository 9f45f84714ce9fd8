import { AppError } from "@attune/service-kit/app-error.ts";
import type { Metadata } from "../../document/document.ts";
import { decodeText } from "../../text/decode-text.ts";
import { childElements, elementText, findDescendant, parseXmlTree, type XmlElement } from "../../xml/xml-tree.ts";
import type { BookFiles } from "./book-files.ts";

export interface SpineItem {
  /** Name of the file in the book. */
  readonly path: string;
  /** As the manifest gives it; empty when it gives none. */
  readonly mediaType: string;
  /** A table of contents, which only repeats the headings of the chapters; `perhaps` when an old book says so of a page. */
  readonly isContents: boolean | "perhaps";
}

export interface PackageDocument {
  readonly metadata: Metadata;
  /** In reading order. */
  readonly spine: readonly SpineItem[];
  /** Pages of text that are in the book and not in its reading order, tables of contents aside. */
  readonly unlistedPaths: readonly string[];
}

/**
 * Reads the package document (EPUB 3.3, 5) that `META-INF/container.xml` names, or else the only one there is.
 * @throws AppError `DOCUMENT_CORRUPT` when there is none, and as `walkXml` does.
 */
export function readPackage(files: BookFiles, maxDepth: number): PackageDocument {
  const path = findPackagePath(files, maxDepth);
  const bytes = path === undefined ? undefined : files.read(path);
  if (path === undefined || bytes === undefined) {
    throw new AppError("DOCUMENT_CORRUPT", { detail: "The book has no package document (OPF)." });
  }
  const document = parseXmlTree(decodeText(bytes).text, maxDepth);
  const root = findDescendant(document, "package") ?? document;
  const resolve = (href: string): string => files.resolve(path, href);
  const manifest = readManifest(root, resolve);
  const contents = contentsPaths(root, resolve);
  const spine = readSpine(root, manifest, contents);
  const listed = new Set([...spine.map((item) => item.path), ...contents]);
  const unlisted = [...manifest.values()].filter((item) => isPageOfText(item) && !listed.has(item.path));
  return {
    metadata: readMetadata(findDescendant(root, "metadata")),
    spine,
    unlistedPaths: unlisted.map((item) => item.path),
  };
}

function findPackagePath(files: BookFiles, maxDepth: number): string | undefined {
  const container = files.read("META-INF/container.xml");
  if (container !== undefined) {
    const rootFile = findDescendant(parseXmlTree(decodeText(container).text, maxDepth), "rootfile");
    const path = rootFile?.attributes.get("full-path");
    if (path !== undefined && path !== "") return files.resolve("", path);
  }
  return files.names.find((name) => name.toLowerCase().endsWith(".opf"));
}

interface ManifestItem {
  readonly path: string;
  readonly mediaType: string;
  readonly properties: string;
}

function readManifest(root: XmlElement, resolve: (href: string) => string): Map<string, ManifestItem> {
  const manifest = new Map<string, ManifestItem>();
  for (const { attributes } of itemsOf(root, "manifest", "item")) {
    manifest.set(attributes.get("id") ?? "", {
      path: resolve(attributes.get("href") ?? ""),
      mediaType: (attributes.get("media-type") ?? "").toLowerCase(),
      properties: attributes.get("properties") ?? "",
    });
  }
  return manifest;
}

function isPageOfText({ mediaType, properties }: ManifestItem): boolean {
  return /html|dtbook|oeb/.test(mediaType) && !isNavigation(properties);
}

function isNavigation(properties: string): boolean {
  return /(?:^|\s)nav(?:\s|$)/.test(properties);
}

function readSpine(
  root: XmlElement,
  manifest: ReadonlyMap<string, ManifestItem>,
  contents: ReadonlySet<string>,
): SpineItem[] {
  // A spine has no item twice (EPUB 3.3, 5.7.2); one that has would make a long book of a small file.
  const ids = new Set(itemsOf(root, "spine", "itemref").map(({ attributes }) => attributes.get("idref") ?? ""));
  return [...ids].flatMap((id) => {
    const item = manifest.get(id);
    if (item === undefined) return [{ path: id, mediaType: "", isContents: false }];
    const isContents = isNavigation(item.properties) || (contents.has(item.path) && "perhaps");
    return [{ path: item.path, mediaType: item.mediaType, isContents }];
  });
}

function itemsOf(root: XmlElement, list: string, name: string): XmlElement[] {
  const element = findDescendant(root, list);
  return element === undefined ? [] : childElements(element, name);
}

// EPUB 2 names its page of contents in the guide.
function contentsPaths(root: XmlElement, resolve: (href: string) => string): Set<string> {
  const references = itemsOf(root, "guide", "reference").filter(
    ({ attributes }) => attributes.get("type")?.toLowerCase() === "toc",
  );
  return new Set(references.map(({ attributes }) => resolve(attributes.get("href") ?? "")));
}

function readMetadata(element: XmlElement | undefined): Metadata {
  if (element === undefined) return {};
  const all = (name: string): string[] =>
    descendants(element, name)
      .map((found) => elementText(found))
      .filter((text) => text !== "");
  const [authors, keywords] = [all("creator"), all("subject")];
  const [title, subject, language] = [all("title")[0], all("description")[0], all("language")[0]];
  const createdAt = all("date").find((text) => /^\d{4}(?:-\d\d(?:-\d\d(?:T.*)?)?)?$/.test(text));
  const modifiedAt = descendants(element, "meta").find(
    ({ attributes }) => attributes.get("property") === "dcterms:modified",
  );
  return {
    ...(title !== undefined && { title }),
    ...(authors.length > 0 && { authors }),
    ...(subject !== undefined && {
      subject: subject
        .replace(/<[^<>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    }),
    ...(keywords.length > 0 && { keywords }),
    ...(language !== undefined && { language }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt: elementText(modifiedAt) }),
  };
}

// EPUB 2 may put Dublin Core inside `dc-metadata`.
function descendants(element: XmlElement, name: string): XmlElement[] {
  return childElements(element).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}
