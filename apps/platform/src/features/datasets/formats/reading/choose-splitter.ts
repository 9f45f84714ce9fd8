import { createFinding, type Finding } from "../finding.ts";
import { scanJson } from "./scan-json.ts";
import type { DatasetFileType, Splitter } from "./source-row.ts";
import { createCsvSplitter } from "./split-csv.ts";
import { createJsonSplitter } from "./split-json.ts";
import { createLineSplitter } from "./split-lines.ts";

interface SplitterChoice {
  /** Undefined where the file cannot be read at all. */
  readonly splitter: Splitter | undefined;
  readonly findings: readonly Finding[];
  /** Whether a file of one row is a dataset. */
  readonly isSingleAllowed: boolean;
}

/** Decides by its beginning how a file is to be read: its name may promise something else than it holds. */
export function chooseSplitter(prefix: Buffer, fileType: DatasetFileType): SplitterChoice {
  const start = prefix.toString("utf8").trimStart();
  if (fileType === "csv") return choice(createCsvSplitter(), true);
  if (start === "") return choice(undefined, true, "FILE_EMPTY");
  const isArray = /^\[\s*(?:\{|\]|$)/.test(start);
  if (fileType === "jsonl") return isArray ? choice(createJsonSplitter("array"), true, "ARRAY_IN_JSONL") : jsonl(start);
  if (start.startsWith("[")) return choice(createJsonSplitter("array"), true);
  if (isWrapped(start)) return choice(undefined, false, "WRAPPED_ARRAY");
  const isLines = start.startsWith("{") && followsAnother(start);
  return isLines
    ? choice(createJsonSplitter("values"), true, "LINES_IN_JSON")
    : choice(createJsonSplitter("values"), false);
}

function jsonl(start: string): SplitterChoice {
  const firstLine = start.slice(0, lineEnd(start));
  const isWhole = firstLine.length === start.length;
  const { openBrackets, endsInString } = scanJson(firstLine);
  const isPretty = start.startsWith("{") && !isWhole && !endsInString && openBrackets > 0;
  if (isPretty && isWrapped(start)) return choice(undefined, true, "WRAPPED_ARRAY");
  return isPretty
    ? choice(createJsonSplitter("values"), true, "PRETTY_PRINTED_JSONL")
    : choice(createLineSplitter(), true);
}

const lineEnd = (text: string): number => (text.includes("\n") ? text.indexOf("\n") : text.length);

/** Whether an object's first array holds objects under a key that no row has: {"data": [{…}, …]}. */
function isWrapped(start: string): boolean {
  const match =
    /^\{(?:\s*"[^"\\]*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[-\d.]+|true|false|null)\s*,){0,20}\s*"([^"\\]*)"\s*:\s*\[\s*\{/.exec(
      start.slice(0, 65_536),
    );
  return match !== null && !rowKeys.has(match[1] as string);
}

const rowKeys = new Set(
  "messages conversations conversation dialog dialogue turns prompt completion chosen rejected history tools images content text".split(
    " ",
  ),
);

/** Whether a second value begins after the first one. */
function followsAnother(start: string): boolean {
  const records = createJsonSplitter("values").push(Buffer.from(start));
  return records.length > 1 || (records.length === 1 && /\}\s*\{/.test(start));
}

function choice(splitter: Splitter | undefined, isSingleAllowed: boolean, code?: Finding["code"]): SplitterChoice {
  const findings = code ? [createFinding(code, { line: 1, row: undefined })] : [];
  return { splitter, findings, isSingleAllowed };
}
