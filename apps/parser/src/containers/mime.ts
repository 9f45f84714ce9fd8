import { AppError } from "@attune/service-kit/app-error.ts";
import { decodeWords } from "postal-mime";
import type { Budget } from "../limits/budget.ts";
import { decodeText } from "../text/decode-text.ts";
import { parseHeaderValue, type StructuredValue } from "./mime-header.ts";
import { decodeTransfer } from "./mime-transfer.ts";

/** One part of a message in the format of RFC 5322 and RFC 2045 to 2047. */
export interface MimePart {
  /** `type/subtype`, lower case. */
  readonly mediaType: string;
  /** Parameters of Content-Type by lower-case name: `charset`, `boundary`, `format`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** `attachment`, `inline`, or what else the part says; empty when it says nothing. */
  readonly disposition: string;
  /** The name that the part gives itself, decoded, not to be used as a path; empty when it has none. */
  readonly fileName: string;
  /** Parts of a multipart, in order; empty for all others. */
  readonly parts: readonly MimePart[];
  /** The first header of this name (any case), unfolded and with its encoded words decoded. */
  header(name: string): string | undefined;
  /** All headers of this name, unfolded, encoded words as they are. */
  rawHeaders(name: string): string[];
  /** The content without its transfer encoding; damaged encodings give what can be read. */
  decode(): Uint8Array;
}

const maxDepth = 32;
const maxHeaderBytes = 1 << 20;

/**
 * The parts of a message, without decoding any. Multiparts more than 32 deep stay single parts.
 * @throws AppError `LIMIT_EXCEEDED` for too many parts, as they count as members of an archive, and for a header over 1 MiB.
 */
export function parseMime(bytes: Uint8Array, budget: Budget): MimePart {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return parsePart(buffer, { budget, depth: 0, defaultType: "text/plain" });
}

interface Surroundings {
  readonly budget: Budget;
  readonly depth: number;
  readonly defaultType: string;
}

function parsePart(buffer: Buffer, { budget, depth, defaultType }: Surroundings): MimePart {
  budget.takeEntries(1);
  const bodyAt = findBody(buffer);
  if (bodyAt > maxHeaderBytes) throw new AppError("LIMIT_EXCEEDED", { detail: "A header is larger than 1 MiB." });
  const headers = parseHeaders(buffer.subarray(0, bodyAt));
  const body = buffer.subarray(bodyAt);
  const type = parseHeaderValue(headers.get("content-type")?.[0] ?? defaultType);
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(type.value) ? type.value.toLowerCase() : defaultType;
  const boundary = mediaType.startsWith("multipart/") && depth < maxDepth ? type.parameters.get("boundary") : undefined;
  const innerType = mediaType === "multipart/digest" ? "message/rfc822" : "text/plain";
  const inner = { budget, depth: depth + 1, defaultType: innerType };
  return {
    mediaType,
    parameters: type.parameters,
    ...dispositionOf(headers, type),
    parts: boundary ? splitParts(body, boundary).map((part) => parsePart(part, inner)) : [],
    header: (name) => {
      const value = headers.get(name.toLowerCase())?.[0];
      return value === undefined ? undefined : decodeWords(value);
    },
    rawHeaders: (name) => headers.get(name.toLowerCase()) ?? [],
    decode: () => decodeTransfer(body, headers.get("content-transfer-encoding")?.[0] ?? ""),
  };
}

type Headers = ReadonlyMap<string, string[]>;

function dispositionOf(headers: Headers, type: StructuredValue): Pick<MimePart, "disposition" | "fileName"> {
  const disposition = parseHeaderValue(headers.get("content-disposition")?.[0] ?? "");
  const fileName = disposition.parameters.get("filename") ?? type.parameters.get("name") ?? "";
  return { disposition: disposition.value.toLowerCase(), fileName: decodeWords(fileName) };
}

// The body begins after the first empty line; a message without one is all header.
function findBody(buffer: Buffer): number {
  let at = 0;
  while (at < buffer.length) {
    const lineEnd = buffer.indexOf(0x0a, at);
    if (lineEnd === -1) return buffer.length;
    if (lineEnd === at || (lineEnd === at + 1 && buffer[at] === 0x0d)) return lineEnd + 1;
    at = lineEnd + 1;
  }
  return buffer.length;
}

function parseHeaders(bytes: Buffer): Headers {
  const headers = new Map<string, string[]>();
  const lines = decodeText(bytes).text.split(/\r?\n/);
  let name = "";
  let parts: string[] = [];
  const store = (): void => {
    const values = headers.get(name) ?? [];
    values.push(parts.join("").trim());
    if (name !== "") headers.set(name, values);
  };
  for (const line of lines) {
    if (/^[ \t]/.test(line)) parts.push(line);
    else {
      store();
      const match = /^([!-9;-~]{1,200})[ \t]*:/.exec(line);
      name = match?.[1]?.toLowerCase() ?? "";
      parts = match === null ? [] : [line.slice(match[0].length)];
    }
  }
  store();
  return headers;
}

// What stands before the first boundary and after the last is for readers that know no MIME.
function splitParts(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`, "latin1");
  const parts: Buffer[] = [];
  let partAt = -1;
  for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + mark.length)) {
    const line = readBoundaryLine(body, at, mark.length);
    if (line === undefined) continue;
    if (partAt !== -1) parts.push(body.subarray(partAt, endOfPart(body, partAt, at)));
    partAt = line.isLast ? -1 : line.end;
    if (line.isLast) break;
  }
  if (partAt !== -1) parts.push(body.subarray(partAt));
  return parts;
}

function readBoundaryLine(
  body: Buffer,
  at: number,
  markLength: number,
): { readonly end: number; readonly isLast: boolean } | undefined {
  if (at > 0 && body[at - 1] !== 0x0a) return undefined;
  const newlineAt = body.indexOf(0x0a, at);
  const end = newlineAt === -1 ? body.length : newlineAt + 1;
  if (end - at > markLength + 200) return undefined;
  const rest = body.toString("latin1", at + markLength, end).trim();
  return rest === "" || rest === "--" ? { end, isLast: rest === "--" } : undefined;
}

// The line end before a boundary belongs to the boundary.
function endOfPart(body: Buffer, partAt: number, boundaryAt: number): number {
  const newline = body[boundaryAt - 2] === 0x0d ? 2 : 1;
  return Math.max(partAt, boundaryAt - newline);
}
