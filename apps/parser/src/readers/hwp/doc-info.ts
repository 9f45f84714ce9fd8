import { runFormat } from "../../containers/opc-inlines.ts";
import { lookOfStyleName, type ParagraphLook, plainLook } from "./flow.ts";
import { type HwpRecord, hwpTag, readHwpRecords } from "./hwp-records.ts";

/** What paragraphs refer to by numbers (HWP 5.0, 4.2). */
export interface DocInfo {
  /** Sums of `runFormat`. */
  readonly characterFormats: readonly number[];
  readonly paragraphLooks: readonly ParagraphLook[];
  readonly styleNames: readonly string[];
  /** Names of files inside the document, the first for number 1. */
  readonly binaryNames: readonly string[];
}

export function readDocInfo(stream: Buffer, maxDepth: number): DocInfo {
  const info = { characterFormats: [], paragraphLooks: [], styleNames: [], binaryNames: [] };
  for (const record of readHwpRecords(stream, maxDepth)) addRecord(record, info);
  return info;
}

interface DocInfoDraft {
  readonly characterFormats: number[];
  readonly paragraphLooks: ParagraphLook[];
  readonly styleNames: string[];
  readonly binaryNames: string[];
}

function addRecord({ tag, body, children }: HwpRecord, info: DocInfoDraft): void {
  if (tag === hwpTag.characterShape) info.characterFormats.push(formatOf(body));
  else if (tag === hwpTag.paragraphShape) info.paragraphLooks.push(lookOf(body));
  else if (tag === hwpTag.style) info.styleNames.push(countedText(body, 0));
  else if (tag === hwpTag.binaryItem) info.binaryNames.push(binaryName(body));
  // The lists stand below the record that counts them.
  for (const child of children) addRecord(child, info);
}

const attributesAt = 46;
const characterFlags: readonly (readonly [mask: number, format: number])[] = [
  [1 << 0, runFormat.italic],
  [1 << 1, runFormat.bold],
  [1 << 15, runFormat.superscript],
  [1 << 16, runFormat.subscript],
];

function formatOf(body: Buffer): number {
  const attributes = body.length >= attributesAt + 4 ? body.readUInt32LE(attributesAt) : 0;
  return characterFlags.reduce((sum, [mask, format]) => ((attributes & mask) === 0 ? sum : sum | format), 0);
}

const headKinds = ["plain", "heading", "ordered", "bullet"] as const;
const numberingAt = 30;

function lookOf(body: Buffer): ParagraphLook {
  const attributes = body.length >= 4 ? body.readUInt32LE(0) : 0;
  const kind = headKinds[(attributes >>> 23) & 3] ?? "plain";
  if (kind === "plain") return plainLook;
  const numbering = body.length >= numberingAt + 2 ? body.readUInt16LE(numberingAt) : 0;
  return { kind, level: (attributes >>> 25) & 7, numbering: String(numbering) };
}

/** A text whose length in characters stands before it. */
export function countedText(body: Buffer, at: number): string {
  const length = at + 2 <= body.length ? body.readUInt16LE(at) : 0;
  return body.toString("utf16le", Math.min(body.length, at + 2), Math.min(body.length, at + 2 + 2 * length));
}

/** Kinds of files inside: 0 is a link to one outside. */
function binaryName(body: Buffer): string {
  const kind = body.length >= 4 ? body.readUInt16LE(0) & 0x0f : 0;
  if (kind === 0) return "";
  const number = body.readUInt16LE(2).toString(16).toUpperCase().padStart(4, "0");
  return `BIN${number}.${countedText(body, 4).replaceAll(/[^\w]/g, "")}`;
}

/** How a paragraph is meant: its style says more than its shape. */
export function lookOfParagraph(info: DocInfo, shape: number, style: number): ParagraphLook {
  return lookOfStyleName(info.styleNames[style] ?? "") ?? info.paragraphLooks[shape] ?? plainLook;
}
