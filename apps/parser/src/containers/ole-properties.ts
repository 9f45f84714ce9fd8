import type { Metadata } from "../document/document.ts";
import { codePageName } from "../text/code-page-name.ts";
import { findDecoder } from "../text/text-decoder.ts";
import type { CompoundStreams } from "./open-compound.ts";

/** Numbers of properties of the summary ([MS-OLEPS] 2.3.1, [MS-OSHARED] 2.3.3.2.1). */
const summary = { codePage: 1, title: 2, subject: 3, author: 4, keywords: 5, createdAt: 12, modifiedAt: 13 } as const;

/** What the summary of an old Office file says about it; empty when there is none, or a damaged one. */
export function readOleProperties(streams: CompoundStreams, name = "\u0005SummaryInformation"): Metadata {
  const stream = streams.read(name);
  const properties = stream === undefined ? undefined : readPropertySet(stream);
  if (properties === undefined) return {};
  const text = (id: number): string => asText(properties.get(id)).replaceAll(/\s+/g, " ").trim();
  const [title, subject, author] = [text(summary.title), text(summary.subject), text(summary.author)];
  const keywords = text(summary.keywords)
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const [createdAt, modifiedAt] = [
    asDate(properties.get(summary.createdAt)),
    asDate(properties.get(summary.modifiedAt)),
  ];
  return {
    ...(title !== "" && { title }),
    ...(author !== "" && { authors: [author] }),
    ...(subject !== "" && { subject }),
    ...(keywords.length > 0 && { keywords }),
    ...(createdAt !== undefined && { createdAt }),
    ...(modifiedAt !== undefined && { modifiedAt }),
  };
}

type PropertyValue = string | Date;

const setHeaderBytes = 28;
const maxProperties = 1_000;

// The first set of the stream: its place stands after its identifier.
function readPropertySet(stream: Buffer): ReadonlyMap<number, PropertyValue> | undefined {
  if (stream.length < setHeaderBytes + 20) return undefined;
  const setAt = stream.readUInt32LE(setHeaderBytes + 16);
  if (setAt + 8 > stream.length) return undefined;
  const set = stream.subarray(setAt);
  const places = new Map<number, number>();
  const count = Math.min(set.readUInt32LE(4), maxProperties);
  for (let at = 8; at + 8 <= set.length && at < 8 + 8 * count; at += 8)
    places.set(set.readUInt32LE(at), set.readUInt32LE(at + 4));
  const codePageAt = (places.get(summary.codePage) ?? set.length) + 4;
  const codePage = codePageAt + 2 <= set.length ? set.readUInt16LE(codePageAt) : undefined;
  const properties = new Map<number, PropertyValue>();
  for (const [id, at] of places) {
    const value = readValue(set, at, codePage);
    if (value !== undefined) properties.set(id, value);
  }
  return properties;
}

/** Types of values ([MS-OLEPS] 2.2). */
const types = { narrowText: 30, wideText: 31, fileTime: 64 } as const;
const utf16CodePage = 1200;

function readValue(set: Buffer, at: number, codePage: number | undefined): PropertyValue | undefined {
  if (at + 8 > set.length) return undefined;
  const type = set.readUInt16LE(at);
  if (type === types.fileTime) return at + 12 > set.length ? undefined : fromFileTime(set.readBigUInt64LE(at + 4));
  if (type !== types.narrowText && type !== types.wideText) return undefined;
  const length = set.readUInt32LE(at + 4);
  const isWide = type === types.wideText || codePage === utf16CodePage;
  const bytes = set.subarray(at + 8, at + 8 + (type === types.wideText ? 2 * length : length));
  const label = isWide ? "utf-16le" : (codePageName(codePage) ?? "windows-1252");
  return (findDecoder(label) ?? findDecoder("windows-1252"))?.decode(bytes).split("\0", 1)[0];
}

/** 1601 to 1970 in units of 100 nanoseconds. */
const epochOffset = 116_444_736_000_000_000n;
const ticksPerMs = 10_000n;

// Durations, such as the time spent on editing, are small numbers of the same type.
function fromFileTime(ticks: bigint): Date | undefined {
  const date = new Date(Number((ticks - epochOffset) / ticksPerMs));
  const isPlausible = ticks > epochOffset && date.getUTCFullYear() < 10_000;
  return isPlausible ? date : undefined;
}

function asText(value: PropertyValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function asDate(value: PropertyValue | undefined): string | undefined {
  return value instanceof Date ? value.toISOString().replace(".000Z", "Z") : undefined;
}
