import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import type { Metadata } from "../../document/document.ts";
import type { Root } from "./parse-markdown.ts";

const maxFrontMatterLength = 65_536;

/** Metadata from YAML or TOML front matter; undefined when it cannot be read, which is no reason to refuse the text. */
export function readFrontMatter(root: Root): Metadata | undefined {
  const [first] = root.children;
  if (first?.type !== "yaml" && (first?.type as string) !== "toml") return {};
  const { value, type } = first as { readonly value: string; readonly type: string };
  if (value.length > maxFrontMatterLength) return undefined;
  try {
    const fields: unknown =
      type === "toml" ? parseToml(value) : parseYaml(value, { maxAliasCount: 10, schema: "core" });
    return typeof fields === "object" && fields !== null ? toMetadata(new Map(lowerCased(fields))) : {};
  } catch {
    return undefined; // not well formed
  }
}

function lowerCased(fields: object): [string, unknown][] {
  return Object.entries(fields).map(([key, value]: [string, unknown]) => [key.toLowerCase(), value]);
}

type Fields = ReadonlyMap<string, unknown>;

function toMetadata(fields: Fields): Metadata {
  const title = firstText(fields, ["title"]);
  const authors = texts(fields, ["authors", "author", "creator"]);
  const subject = firstText(fields, ["subject", "description", "summary", "abstract"]);
  const keywords = texts(fields, ["keywords", "tags"]);
  const language = firstText(fields, ["language", "lang", "locale"]);
  const createdAt = firstDate(fields, ["created", "date", "published"]);
  const modifiedAt = firstDate(fields, ["modified", "updated", "lastmod"]);
  const pageCount = fields.get("pages");
  return {
    ...(title !== undefined && { title }),
    ...(authors.length > 0 && { authors }),
    ...(subject !== undefined && { subject }),
    ...(keywords.length > 0 && { keywords }),
    ...(language !== undefined && { language }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt }),
    ...(Number.isSafeInteger(pageCount) && { pageCount: pageCount as number }),
  };
}

function firstText(fields: Fields, keys: readonly string[]): string | undefined {
  return keys.map((key) => textOf(fields.get(key))).find((text) => text !== undefined);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

// A list, one value, or objects with a name, as static site generators have them.
function texts(fields: Fields, keys: readonly string[]): string[] {
  for (const key of keys) {
    const value = fields.get(key);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const found = items.map((item) => textOf(nameOf(item))).filter((text) => text !== undefined);
    if (found.length > 0) return found;
  }
  return [];
}

function nameOf(item: unknown): unknown {
  return typeof item === "object" && item !== null && "name" in item ? item.name : item;
}

function firstDate(fields: Fields, keys: readonly string[]): string | undefined {
  return keys.map((key) => dateOf(fields.get(key))).find((date) => date !== undefined);
}

// Only what is ISO 8601 already, with a space for the `T` at most; a guess about other forms could be wrong.
function dateOf(value: unknown): string | undefined {
  const text = value instanceof Date ? value.toISOString() : textOf(value);
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/.exec(
    text ?? "",
  );
  if (match === null) return undefined;
  const [, day = "", time, zone = ""] = match;
  return time === undefined ? day : `${day}T${time}${zone}`;
}
