import type { Metadata } from "../../document/document.ts";
import { attribute, type HtmlElement, textOf, visitElements } from "./html-node.ts";

/** What the head of a page says about it: title, Dublin Core, Open Graph, citation tags. */
export function readMetadata(root: HtmlElement): Metadata {
  const { titles, tags } = collect(root);
  const first = (...names: string[]): string | undefined =>
    names.flatMap((name) => tags.get(name) ?? []).find((value) => value !== "");
  return withoutEmpty({
    title: titles.find((value) => value !== "") ?? first("og:title", "dc.title", "dcterms.title", "citation_title"),
    authors: authorsOf(tags),
    subject: first("description", "dc.description", "og:description"),
    keywords: keywordsOf(first("keywords", "dc.subject") ?? ""),
    language: attribute(root, "lang") || attribute(root, "xml:lang") || first("content-language", "dc.language"),
    createdAt: toIsoDate(first("article:published_time", "dcterms.created", "dc.date", "date", "citation_date")),
    modifiedAt: toIsoDate(first("article:modified_time", "dcterms.modified", "last-modified")),
  });
}

function withoutEmpty(values: Readonly<Record<string, string | readonly string[] | undefined>>): Metadata {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value.length > 0));
}

function keywordsOf(list: string): string[] {
  return list
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

type Tags = ReadonlyMap<string, readonly string[]>;

function collect(root: HtmlElement): { titles: string[]; tags: Tags } {
  const titles: string[] = [];
  const tags = new Map<string, string[]>();
  visitElements(root, (element) => {
    if (element.name === "title") titles.push(clean(textOf(element)));
    if (element.name !== "meta") return;
    const name = attribute(element, "name") || attribute(element, "property") || attribute(element, "http-equiv");
    const values = tags.get(name.toLowerCase()) ?? [];
    values.push(clean(attribute(element, "content")));
    tags.set(name.toLowerCase(), values);
  });
  return { titles, tags };
}

function authorsOf(tags: Tags): string[] {
  for (const name of ["author", "dc.creator", "dcterms.creator", "citation_author", "article:author"]) {
    const found = (tags.get(name) ?? []).filter((value) => value !== "" && !/^https?:/.test(value));
    if (found.length > 0) return [...new Set(found)];
  }
  return [];
}

function clean(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

// Only dates that already are ISO 8601 are certain; others would be guesses about their order.
function toIsoDate(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text) ? text : undefined;
}
