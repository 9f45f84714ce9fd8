import { AppError } from "@attune/service-kit/app-error.ts";
import type { Metadata } from "../document/document.ts";
import type { Budget } from "../limits/budget.ts";
import { type OdfElement, parseOdfElement } from "./odf-element.ts";
import { attempt, decodeXml } from "./opc-package.ts";
import { openZip, type ZipArchive } from "./zip.ts";

export interface OdfOpenContext {
  readonly budget: Budget;
  readonly password: string | undefined;
  readonly warn: (sentence: string) => void;
}

/** An OpenDocument file: a package of parts, or one flat XML text. */
export interface OdfPackage {
  /** The part that holds the body, undecoded into elements: it may be large. */
  readonly contentXml: string;
  /** Root of the part with the common styles; the whole file when it is flat. Undefined when the part is missing or damaged. */
  readonly styles: OdfElement | undefined;
  readonly metadata: Metadata;
  /** A member by its address in the file (`./Object 1`, `Pictures/a.png`); undefined for what is not in it. */
  read(href: string): Uint8Array | undefined;
  mediaTypeOf(href: string): string;
}

/**
 * Opens an OpenDocument file.
 * @throws AppError `PASSWORD_REQUIRED`, `ENCRYPTION_UNSUPPORTED`, `DOCUMENT_CORRUPT`, limits.
 */
export function openOdf(bytes: Uint8Array, context: OdfOpenContext): OdfPackage {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isZip ? openPackage(openZip(bytes, context.budget), context) : openFlat(bytes, context);
}

function openPackage(archive: ZipArchive, context: OdfOpenContext): OdfPackage {
  const { maxMarkupDepth } = context.budget.limits;
  const mediaTypes = readManifest(archive, context);
  const content = archive.read("content.xml");
  if (content === undefined) throw new AppError("DOCUMENT_CORRUPT", { detail: "It has no content.xml." });
  const read = (href: string): Uint8Array | undefined => archive.read(href.replace(/^\.?\//, ""));
  const optional = (name: string): OdfElement | undefined => {
    let root: OdfElement | undefined;
    attempt(name, context.warn, () => {
      const bytes = archive.read(name);
      if (bytes !== undefined) root = parseOdfElement(decodeXml(bytes), maxMarkupDepth);
    });
    return root;
  };
  return {
    contentXml: decodeXml(content),
    styles: optional("styles.xml"),
    metadata: readMetadata(optional("meta.xml")),
    read,
    mediaTypeOf: (href) => mediaTypes.get(href.replace(/^\.?\//, "")) ?? mediaTypeByName(href),
  };
}

// The list of members tells which are encrypted (ODF 1.3 part 2, 3.4).
function readManifest(archive: ZipArchive, { budget, password, warn }: OdfOpenContext): Map<string, string> {
  const mediaTypes = new Map<string, string>();
  let isEncrypted = false;
  attempt("META-INF/manifest.xml", warn, () => {
    const bytes = archive.read("META-INF/manifest.xml");
    if (bytes === undefined) return;
    const xml = withoutDoctype(decodeXml(bytes));
    for (const entry of parseOdfElement(xml, budget.limits.maxMarkupDepth).elements("manifest:file-entry")) {
      const path = entry.get("manifest:full-path") ?? "";
      mediaTypes.set(path, entry.get("manifest:media-type") ?? "");
      if (entry.child("manifest:encryption-data") !== undefined)
        isEncrypted ||= /^(?:content\.xml|encrypted-package)$/.test(path);
    }
  });
  if (isEncrypted) throw new AppError(password === undefined ? "PASSWORD_REQUIRED" : "ENCRYPTION_UNSUPPORTED");
  return mediaTypes;
}

// Programs before 2006 wrote this one declaration into the manifest; it names no entities.
function withoutDoctype(xml: string): string {
  return xml.replace(/<!DOCTYPE manifest:manifest PUBLIC "[^"<>[\]]*" "[^"<>[\]]*">/, "");
}

function openFlat(bytes: Uint8Array, { budget }: OdfOpenContext): OdfPackage {
  const xml = decodeXml(bytes);
  const metaAt = xml.indexOf("<office:meta>");
  const metaEnd = xml.indexOf("</office:meta>");
  const rootEnd = xml.indexOf(">", xml.indexOf("<office:document"));
  const hasMeta = metaAt !== -1 && metaEnd > metaAt && rootEnd !== -1 && rootEnd < metaAt;
  const meta = hasMeta
    ? `${xml.slice(0, rootEnd + 1)}${xml.slice(metaAt, metaEnd)}</office:meta></office:document>`
    : undefined;
  return {
    contentXml: xml,
    styles: undefined,
    metadata: meta === undefined ? {} : readMetadata(parseOdfElement(meta, budget.limits.maxMarkupDepth)),
    read: () => undefined,
    mediaTypeOf: mediaTypeByName,
  };
}

const mediaTypesByExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  svg: "image/svg+xml",
  webp: "image/webp",
};

function mediaTypeByName(href: string): string {
  return mediaTypesByExtension[href.slice(href.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

function readMetadata(root: OdfElement | undefined): Metadata {
  const meta = root?.child("office:meta");
  if (meta === undefined) return {};
  const text = (name: string): string | undefined => meta.child(name)?.text.trim() || undefined;
  const keywords = meta
    .elements("meta:keyword")
    .map((keyword) => keyword.text.trim())
    .filter(Boolean);
  const author = text("meta:initial-creator") ?? text("dc:creator");
  const statistic = meta.child("meta:document-statistic");
  return {
    ...optionalText("title", text("dc:title")),
    ...(author !== undefined && { authors: [author] }),
    ...optionalText("subject", text("dc:subject") ?? text("dc:description")),
    ...(keywords.length > 0 && { keywords }),
    ...optionalText("language", text("dc:language")),
    ...optionalText("createdAt", toDate(text("meta:creation-date"))),
    ...optionalText("modifiedAt", toDate(text("dc:date"))),
    ...pageCountOf(statistic),
  };
}

function optionalText<TKey extends string>(key: TKey, value: string | undefined): { readonly [K in TKey]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in TKey]: string });
}

function pageCountOf(statistic: OdfElement | undefined): Pick<Metadata, "pageCount"> {
  const count = Number(statistic?.get("meta:page-count"));
  return Number.isSafeInteger(count) && count > 0 ? { pageCount: count } : {};
}

function toDate(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
    ? text.replace(/\.\d+/, "")
    : undefined;
}
